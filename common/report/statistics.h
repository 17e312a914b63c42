// Bootstrap intervals and the verdict of a comparison.
#pragma once

#include <span>
#include <string>

namespace wb {

struct Ratio {
  double median = 0;         // of baseline[i] / variant[i]
  double low = 0, high = 0;  // 95 % percentile bootstrap interval of that median, +- 1 % at least
};

// Where samples i of both were taken in turn, within the same fraction of a second, what disturbs
// the machine for longer cancels. (They were not where a case mixes clocks, see rounds.cpp.)
// Unequal lengths use the shorter. Deterministic: the bootstrap has a fixed seed. Efron &
// Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13.
Ratio paired_ratio(std::span<const double> baseline, std::span<const double> variant);

// "faster", "slower": the interval lies on one side of 1, and the median differs from 1 by more
// than 3 %. "same": neither, and the whole interval lies within 5 % of 1. "ambiguous": the rest,
// that is, these samples can't tell.
std::string verdict(const Ratio& ratio);

}  // namespace wb
