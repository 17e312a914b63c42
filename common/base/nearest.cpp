#include "base/nearest.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace wb {

namespace {

// Levenshtein's, a row at a time; capitals are as good as small letters.
int edit_distance(const std::string& a, const std::string& b) {
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    int diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const int replaced = diagonal + (std::tolower(a[i]) != std::tolower(b[j]));
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(const std::string& name, const std::vector<std::string>& known) {
  std::string best;
  const int size = static_cast<int>(name.size());
  int distance = std::min(std::max(2, size / 3) + 1, size);  // something of the name must be left
  if (name.size() > 200) return best;
  for (const std::string& k : known) {
    const int d = edit_distance(name, k);
    if (d < distance) distance = d, best = k;
  }
  return best;
}

}  // namespace wb
