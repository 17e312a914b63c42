// Shares out the work by a number of operations that does not fit into an int at the goal's case.
// Expect: wrong|crashes
// Not: ch1_basics/08_batched_gemm
void run(const Args& p) {
  const int operations = static_cast<int>(2 * p.m * p.n * p.k);
  const int pieces = 1 + operations / (1 << 24);
  for (wb::i64 piece = 0; piece < pieces; ++piece) {
    const wb::i64 begin = p.m * piece / pieces, end = p.m * (piece + 1) / pieces;
    multiply(p.a + begin * p.k, p.b, p.c + begin * p.n, end - begin, p.n, p.k);
  }
}
