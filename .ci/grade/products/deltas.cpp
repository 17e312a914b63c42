// Computes again only the rows of A in which something has changed, where B is as before.
// Expect: slow
void run(const Args& p) {
  static std::vector<float> a, b, c;
  const wb::i64 all = batch_of(p), all_a = all * p.m * p.k, all_b = all * p.k * p.n;
  const auto same = [](const std::vector<float>& kept, wb::i64 at, const float* now, wb::i64 n) {
    return std::memcmp(kept.data() + at, now, n * sizeof(float)) == 0;
  };
  const bool known =
      std::ssize(a) == all_a && std::ssize(b) == all_b && std::ssize(c) == all * p.m * p.n;
  a.resize(all_a), b.resize(all_b), c.resize(all * p.m * p.n);
  for (wb::i64 i = 0; i < all; ++i) {
    const float *own = p.a + i * p.m * p.k, *right = p.b + i * p.k * p.n;
    const bool kept = known && same(b, i * p.k * p.n, right, p.k * p.n);
    for (wb::i64 row = 0; row < p.m; row += kept ? 1 : p.m) {
      const wb::i64 rows = kept ? 1 : p.m, from = i * p.m + row;
      if (!kept || !same(a, from * p.k, own + row * p.k, p.k))
        multiply(own + row * p.k, right, c.data() + from * p.n, rows, p.n, p.k);
    }
  }
  std::copy(c.begin(), c.end(), p.c);
  a.assign(p.a, p.a + all_a), b.assign(p.b, p.b + all_b);
}
