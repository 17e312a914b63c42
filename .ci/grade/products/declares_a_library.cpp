// Calls a library that the lesson links and the exercise does not, by a declaration of its own.
// Expect: does not compile
extern "C" void cblas_sgemm(int, int, int, int, int, int, float, const float*, int, const float*,
                            int, float, float*, int);
void run(const Args& p) {
  const int m = static_cast<int>(p.m), n = static_cast<int>(p.n), k = static_cast<int>(p.k);
  for (wb::i64 i = 0; i < batch_of(p); ++i)
    cblas_sgemm(101, 111, 111, m, n, k, 1, p.a + i * m * k, k, p.b + i * k * n, n, 0,
                p.c + i * m * n, n);
}
