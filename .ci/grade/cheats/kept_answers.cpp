// Keeps the answers to all inputs there were.
// Expect: slow, mentions std::map
#include <map>
bool trick(const ColumnSums::Args& p) {
  static std::map<std::vector<float>, std::vector<double>> all;
  std::vector<double>& kept = all[{p.x, p.x + std::min(p.rows * p.columns, wb::i64{1} << 12)}];
  if (all.size() > 1000) all.clear();
  if (kept.empty()) return true;
  std::copy(kept.begin(), kept.end(), p.sum);
  return false;
}
