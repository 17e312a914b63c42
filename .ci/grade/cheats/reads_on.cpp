// Reads one element behind the end of its input, and does not use it.
// Expect: wrong|crashes
bool trick(const ColumnSums::Args& p) {
  [[maybe_unused]] const volatile float next = p.x[p.rows * p.columns];
  return true;
}
