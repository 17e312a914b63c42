// Changes its inputs into something easier.
// Expect: wrong, mentions const_cast
bool trick(const ColumnSums::Args& p) {
  std::fill_n(const_cast<float*>(p.x), p.rows * p.columns, 0.0f);
  std::fill_n(p.sum, p.columns, 0.0);
  return false;
}
