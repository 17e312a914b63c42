// A run beside an earlier one: what became faster, what slower, what nobody can tell.
#pragma once

#include <span>
#include <vector>

#include "model/row.h"
#include "report/document.h"
#include "report/standing.h"

namespace wb::report {

// Speed now over speed then, of samples that were not taken in turn: the medians' ratio and its 95
// % bootstrap interval, +- 1 % at least. "slower" and "faster" lie beyond 1 with the whole interval
// and beyond `threshold` (0.05: 5 %) with the ratio; "same" lies within it; "ambiguous": the rest.
Comparison between_runs(std::span<const double> then, std::span<const double> now,
                        double threshold);

struct SpeedChange {
  const Row* then;
  const Row* now;
  Comparison speed;
};
// Of the rows with a speed in both, by lesson, backend, case, cache, sweep and variant.
std::vector<SpeedChange> changes(const Results& then, const Results& now, double threshold);

// A table of what is not the same (`all`: of everything), and how many are what.
Document changes_report(const std::vector<SpeedChange>& changes, const Results& results, bool all);

}  // namespace wb::report
