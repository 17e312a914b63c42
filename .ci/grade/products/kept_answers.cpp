// Keeps the answers to all inputs there were.
// Expect: slow, mentions std::map
void run(const Args& p) {
  static std::map<std::pair<std::vector<float>, std::vector<float>>, std::vector<float>> all;
  const wb::i64 batch = batch_of(p);
  std::vector<float>& c = all[{{p.a, p.a + batch * p.m * p.k}, {p.b, p.b + batch * p.k * p.n}}];
  if (c.empty()) multiply_all(p), c.assign(p.c, p.c + batch * p.m * p.n);
  std::copy(c.begin(), c.end(), p.c);
  if (all.size() > 100) all.clear();
}
