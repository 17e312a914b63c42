// Writes behind its arrays, where a verdict might stand.
// Expect: wrong|crashes
bool trick(const ColumnSums::Args& p) {
  for (int i = 0; i < 100; ++i) p.sum[p.columns + i] = 1;
  return true;
}
