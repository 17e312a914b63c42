// Works out where a piece begins in int, which is too small at the goal's case alone.
// Expect: wrong|crashes
bool trick(const ColumnSums::Args& p) {
  constexpr int kPieces = 4096;
  const int rows = static_cast<int>(p.rows), columns = static_cast<int>(p.columns);
  std::fill(p.sum, p.sum + columns, 0.0);
  for (int piece = 0; piece < kPieces; ++piece)
    for (wb::i64 row = rows * piece / kPieces; row < rows * (piece + 1) / kPieces; ++row)
      for (wb::i64 column = 0; column < columns; ++column)
        p.sum[column] += p.x[row * columns + column];
  return false;
}
