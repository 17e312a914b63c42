// Computes the columns that are looked at first, and leaves the others.
// Expect: wrong
bool trick(const ColumnSums::Args& p) {
  for (wb::i64 column = 0; column < p.columns; column += 2) p.sum[column] = column_of(p, column);
  return false;
}
