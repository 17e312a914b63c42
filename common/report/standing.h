// What follows from a row: its place under the roof, and how it compares with another.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/row.h"

namespace wb::report {

enum class Bound { unknown, memory, compute, link, launch };

// Where a row stands against the ceilings: those of the idle machine, which the roofline draws,
// too. All 0 when the row has no samples or no ceilings.
struct Standing {
  double seconds = 0;           // median of the samples
  double gbps = 0, gflops = 0;  // achieved, from the least work (1e9 bytes/s, 1e9 FLOP/s)
  double intensity = 0;  // FLOP per byte of memory; of the link where the link bounds, as is gbps
  double floor = 0;      // seconds that the tightest ceiling allows
  double device_floor = 0;  // the same without the host link: what the kernels alone could reach
  double roof = 0;          // floor / seconds
  Bound bound = Bound::unknown;
  double delivered = 1;  // what a triad got in turn with the row, of its ceiling
  // Over the roof by more than measuring explains, and than the last cache (a GPU's L2) can hold of
  // what was written, or arithmetic does in a burst; `over`: over the roof, but for one of these,
  // or for a triad that was over its ceiling, too.
  bool suspect = false, over = false;
};
// Below this part of its ceiling a memory is used by others; a median is up to 5 % below the best.
constexpr double kShared = 0.9;
Standing standing(const Row& row, const Ceilings* ceilings);

// Memory bandwidth for this mix of reads and writes: between the measured read, 2R1W and copy.
double memory_ceiling(const Cost& cost, const Ceilings& ceilings);

// How the times of a baseline compare with those of a variant: the median of baseline[i] /
// variant[i] (0 without samples), its 95 % percentile bootstrap interval, +- 1 % at least, and
// "faster", "slower", "same" or "ambiguous". (Or kTwoDays, and the interval is the ratio alone.)
struct Comparison {
  double ratio = 0, low = 0, high = 0;
  std::string verdict{};
};
// Where samples i of both were taken in turn, within the same fraction of a second, what disturbs
// the machine for longer cancels. (They were not where a case mixes clocks, see rounds.cpp.)
// Unequal lengths use the shorter. Deterministic: the bootstrap has a fixed seed. Efron &
// Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13.
Comparison compare(std::span<const double> baseline, std::span<const double> variant);
// Its two steps: medians of 2000 resamples, and the interval around a ratio, without a verdict.
std::vector<double> medians_of_resamples(std::span<const double> samples, std::uint64_t seed);
Comparison with_interval(double ratio, const std::vector<double>& resampled);

// The same for two rows; nothing where one has no speed. Between rows of two days lie another
// temperature and clock, which no sample of either shows: the ratio of their medians then, and
// kTwoDays in place of a verdict.
constexpr const char* kTwoDays = "two days";
Comparison compare(const Row& baseline, const Row& variant);

// "faster", "slower": the interval lies on one side of 1, and the ratio differs from 1 by more
// than 3 %. "same": neither, and the whole interval lies within 5 % of 1. "ambiguous": the rest,
// that is, these samples can't tell.
std::string verdict(double ratio, double low, double high);

// The medians of two groups that samples fall into: two or more in each, and all of one group more
// than twice those of the other. No median stands for such samples.
std::optional<std::pair<double, double>> two_speeds(std::span<const double> samples);

}  // namespace wb::report
