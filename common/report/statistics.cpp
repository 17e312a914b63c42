#include "report/statistics.h"

#include <algorithm>
#include <random>
#include <vector>

#include "base/median.h"

namespace wb {

// Rows that the device bounds differed by up to 2 % between two runs on an H200 (2026-11-20), where
// the samples of each lay within 0.3 %: addresses and clocks change between processes, and no
// sample of one run can show that. Rows that wait for the host can differ by far more.
constexpr double kBetweenRuns = 0.01;

Ratio paired_ratio(std::span<const double> baseline, std::span<const double> variant) {
  const std::size_t pairs = std::min(baseline.size(), variant.size());
  if (pairs == 0) return {};
  std::vector<double> ratios(pairs);
  for (std::size_t i = 0; i < pairs; ++i) ratios[i] = baseline[i] / variant[i];

  constexpr int kResamples = 2000;
  std::mt19937_64 random(20260301);
  std::uniform_int_distribution<std::size_t> pick(0, pairs - 1);
  std::vector<double> medians(kResamples), resample(pairs);
  for (double& m : medians) {
    for (double& r : resample) r = ratios[pick(random)];
    m = median(resample);
  }
  const double middle = median(ratios);
  return {middle, std::min(quantile(medians, 0.025), middle * (1 - kBetweenRuns)),
          std::max(quantile(medians, 0.975), middle * (1 + kBetweenRuns))};
}

std::string verdict(const Ratio& ratio) {
  constexpr double kDifference = 0.03, kSame = 0.05;
  if (ratio.low > 1 && ratio.median > 1 + kDifference) return "faster";
  if (ratio.high < 1 && ratio.median < 1 - kDifference) return "slower";
  if (ratio.low >= 1 - kSame && ratio.high <= 1 + kSame) return "same";
  return "ambiguous";
}

}  // namespace wb
