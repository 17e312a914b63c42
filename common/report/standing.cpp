#include "report/standing.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "base/median.h"
namespace wb::report {

double memory_ceiling(const Cost& cost, const Ceilings& ceilings) {
  // Measured streams by their share of writes; non-temporal stores count where they are better.
  const std::pair<double, double> streams[] = {
      {0.0, ceilings.get("read")},
      {1.0 / 3, std::max(ceilings.get("triad"), ceilings.get("triad_nt"))},
      {1.0 / 2, std::max(ceilings.get("copy"), ceilings.get("copy_nt"))}};
  const double share = cost.bytes() > 0 ? cost.write / cost.bytes() : 0;
  std::pair<double, double> below{0, 0};
  for (const auto& [at, bandwidth] : streams) {
    if (bandwidth <= 0) continue;
    if (share <= at && below.second == 0) return bandwidth;
    if (share <= at)
      return std::lerp(below.second, bandwidth, (share - below.first) / (at - below.first));
    below = {at, bandwidth};
  }
  return below.second;  // more writes than in any measured stream, or nothing measured (0)
}

// A row over its roof by more than this is suspect. The roof is the idle machine's, also where
// other programs use the memory: what they leave a triad is no bound for reads. (In cpu2.json the
// sum of 4 Mi fp32 numbers reads 1.25 times as fast as such a bound, and at 79 % of the idle
// machine's.)
constexpr double kOverMeasured = 1.03;

Standing standing(const Row& row, const Ceilings* ceilings) {
  Standing s;
  if (!has_speed(row)) return s;
  s.seconds = median(row.samples);
  const double link = std::max(row.cost.to_device, row.cost.to_host);
  double bytes = row.cost.bytes();
  if (ceilings && s.seconds > 0) {
    const auto time = [](double work, double rate) { return rate > 0 ? work / rate : 0; };
    double bandwidth = memory_ceiling(row.cost, *ceilings);
    if (row.cache == "hot") bandwidth = std::max(bandwidth, ceilings->get("cache"));
    const double triad = ceilings->get("triad_nt");
    if (row.memory > 0 && triad > 0 && row.cache == "cold") s.delivered = row.memory / triad;
    const double most = std::max(bandwidth, ceilings->fastest_mix()) * std::max(s.delivered, 1.0);
    const double memory = time(bytes, bandwidth);
    const double compute = time(row.cost.flops, ceilings->peak(row.cost.math));
    const double burst = time(row.cost.flops, ceilings->peak(row.cost.math, /*burst=*/true));
    const bool accelerator = ceilings->device.accelerator;
    const double transfer =  // the link is full duplex: the busier direction decides
        accelerator ? std::max(time(row.cost.to_device, ceilings->get("to_device")),
                               time(row.cost.to_host, ceilings->get("to_host")))
                    : 0;
    s.device_floor = std::max(memory, compute);
    s.floor = std::max(s.device_floor, transfer);
    s.roof = s.floor / s.seconds;
    // Of what a kernel writes, the last cache may still hold its size when the kernel ends.
    const double held =
        std::min(row.cost.write, ceilings->get(accelerator ? "l2_bytes" : "llc_bytes"));
    s.suspect = std::max({time(bytes - held, most), burst, transfer}) > kOverMeasured * s.seconds;
    s.over = !s.suspect && s.roof > kOverMeasured;
    if (s.floor > 0) {
      s.bound = transfer == s.floor ? Bound::link
                : memory == s.floor ? Bound::memory
                                    : Bound::compute;
      // So little work that what is around the kernel decides, not a ceiling.
      if (accelerator && s.floor < 3e-6 && s.roof < 0.5) s.bound = Bound::launch;
    }
  }
  if (s.bound == Bound::link) bytes = link;
  if (s.seconds > 0) {
    s.gbps = bytes / s.seconds * 1e-9;
    s.gflops = row.cost.flops / s.seconds * 1e-9;
  }
  if (bytes > 0) s.intensity = row.cost.flops / bytes;
  return s;
}

// Rows that the device bounds differed by up to 2 % between two runs on an H200 (2026-11-20), where
// the samples of each lay within 0.3 %: addresses and clocks change between processes, and no
// sample of one run can show that. Rows that wait for the host can differ by far more.
constexpr double kBetweenRuns = 0.01;

std::vector<double> medians_of_resamples(std::span<const double> samples, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<std::size_t> pick(0, samples.size() - 1);
  std::vector<double> medians(2000), resample(samples.size());
  for (double& m : medians) {
    for (double& s : resample) s = samples[pick(random)];
    m = median(resample);
  }
  return medians;
}

Comparison with_interval(double ratio, const std::vector<double>& resampled) {
  return {ratio, std::min(quantile(resampled, 0.025), ratio * (1 - kBetweenRuns)),
          std::max(quantile(resampled, 0.975), ratio * (1 + kBetweenRuns))};
}

Comparison compare(std::span<const double> baseline, std::span<const double> variant) {
  std::vector<double> ratios(std::min(baseline.size(), variant.size()));
  if (ratios.empty()) return {};
  for (std::size_t i = 0; i < ratios.size(); ++i) ratios[i] = baseline[i] / variant[i];
  Comparison c = with_interval(median(ratios), medians_of_resamples(ratios, 20260301));
  c.verdict = verdict(c.ratio, c.low, c.high);
  return c;
}

Comparison compare(const Row& baseline, const Row& variant) {
  if (!has_speed(baseline) || !has_speed(variant)) return {};
  if (baseline.date != variant.date) {
    const double ratio = median(baseline.samples) / median(variant.samples);
    return {ratio, ratio, ratio, kTwoDays};
  }
  return compare(baseline.samples, variant.samples);
}

std::string verdict(double ratio, double low, double high) {
  constexpr double kDifference = 0.03, kSame = 0.05;
  if (low > 1 && ratio > 1 + kDifference) return "faster";
  if (high < 1 && ratio < 1 - kDifference) return "slower";
  return low >= 1 - kSame && high <= 1 + kSame ? "same" : "ambiguous";
}

std::optional<std::pair<double, double>> two_speeds(std::span<const double> samples) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 2; i + 2 <= sorted.size(); ++i)
    if (sorted[i] > 2 * sorted[i - 1])
      return std::pair(median(std::span(sorted).first(i)), median(std::span(sorted).subspan(i)));
  return std::nullopt;
}

}  // namespace wb::report
