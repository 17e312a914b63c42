#include "report/against.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/median.h"
#include "report/quantity.h"

namespace wb::report {

Comparison between_runs(std::span<const double> then, std::span<const double> now,
                        double threshold) {
  if (then.empty() || now.empty()) return {};
  std::vector<double> ratios = medians_of_resamples(then, 1);
  const std::vector<double> below = medians_of_resamples(now, 2);
  for (std::size_t i = 0; i < ratios.size(); ++i) ratios[i] /= below[i];
  Comparison c = with_interval(median(then) / median(now), ratios);
  c.verdict = "ambiguous";
  if (c.high < 1 && c.ratio < 1 / (1 + threshold)) c.verdict = "slower";
  if (c.low > 1 && c.ratio > 1 + threshold) c.verdict = "faster";
  if (c.low >= 1 / (1 + threshold) && c.high <= 1 + threshold) c.verdict = "same";
  return c;
}

std::vector<SpeedChange> changes(const Results& then, const Results& now, double threshold) {
  std::vector<SpeedChange> all;
  for (const Row& row : now.rows) {
    const auto was = std::ranges::find_if(then.rows, [&](const Row& other) {
      return static_cast<const CaseKey&>(other) == row && other.variant == row.variant;
    });
    if (was != then.rows.end() && has_speed(*was) && has_speed(row))
      all.push_back({&*was, &row, between_runs(was->samples, row.samples, threshold)});
  }
  return all;
}

Document changes_report(const std::vector<SpeedChange>& changes, const Results& results, bool all) {
  Table table{{{.head = "variant", .left = true},
               {.head = "case", .left = true, .leaves = 1},
               {.head = "then", .leaves = 2},
               {.head = "now"},
               {.head = "speed now / then"},
               {.head = "verdict", .left = true}}};
  std::size_t slower = 0, faster = 0, same = 0;
  for (const SpeedChange& change : changes) {
    const Comparison& c = change.speed;
    slower += c.verdict == "slower", faster += c.verdict == "faster", same += c.verdict == "same";
    if (c.verdict == "same" && !all) continue;
    table.rows.push_back(
        {change.now->lesson + "/" + change.now->variant, results.name_of(*change.now),
         format_time(median(change.then->samples)), format_time(median(change.now->samples)),
         fmt::format("{:.3f} [{:.3f}, {:.3f}]", c.ratio, c.low, c.high), c.verdict});
  }
  const std::size_t unclear = changes.size() - slower - faster - same;
  return {table, Sentences{fmt::format(
                     "Of {} rows {} slower, {} faster, {} the same within the threshold; {} cannot "
                     "be told apart from it.\n",
                     changes.size(), slower, faster, same, unclear)}};
}

}  // namespace wb::report
