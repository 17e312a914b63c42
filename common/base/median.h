// Order statistics.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

namespace wb {

// Linear between neighbours; 0 for none.
inline double quantile(std::span<const double> values, double q) {
  if (values.empty()) return 0;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const double position = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

inline double median(std::span<const double> values) { return quantile(values, 0.5); }

}  // namespace wb
