#include "replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "../plots/plots.h"
#include "base/files.h"
#include "base/median.h"
#include "base/output.h"
#include "base/process.h"
#include "report/document.h"
#include "report/quantity.h"

namespace tune {
namespace {

Quartiles quartiles(const std::vector<double>& values) {
  return {wb::quantile(values, 0.25), wb::median(values), wb::quantile(values, 0.75)};
}

}  // namespace

std::vector<double> replay(const Table& table, const std::string& strategy, std::uint64_t seed,
                           std::size_t most) {
  Setting setting{.space = &table.space, .seed = seed};
  if (table.predicted)
    setting.predict = [&](const Configuration& c) { return table.records.at(c).predicted; };
  const auto proposer = make_proposer(strategy, setting);
  History history;
  std::vector<double> so_far;
  double fastest = std::numeric_limits<double>::infinity();
  for (int generation = 1; fastest > table.optimum && so_far.size() < most; ++generation) {
    const std::vector<Configuration> next = proposer.next(history);
    if (next.empty()) break;
    for (const Configuration& c : next) {
      history.push_back(table.records.at(c));
      history.back().generation = generation;
      if (history.back().status == Status::ok) fastest = std::min(fastest, history.back().seconds);
      so_far.push_back(fastest);
    }
  }
  return so_far;
}

std::vector<Replay> replay_all(const Table& table, int seeds) {
  std::vector<Replay> all;
  for (const std::string& strategy : strategies()) {
    if (strategy == "llm" || (strategy == "model" && !table.predicted)) continue;
    std::vector<std::vector<double>> runs;
    std::vector<double> trials;
    for (int seed = 1; seed <= seeds; ++seed) {
      runs.push_back(replay(table, strategy, seed));
      const auto close = std::find_if(runs.back().begin(), runs.back().end(),
                                      [&](double s) { return table.optimum / s >= kGood; });
      trials.push_back(static_cast<double>(close - runs.back().begin() + 1));
    }
    Replay& replay = all.emplace_back(Replay{strategy, {}, quartiles(trials)});
    for (std::size_t i = 0; i < table.records.size(); ++i) {
      std::vector<double> reached;
      for (const auto& run : runs)
        reached.push_back(table.optimum / run[std::min(i, run.size() - 1)]);
      replay.reached.push_back(quartiles(reached));
    }
  }
  return all;
}

double rank_correlation(const Table& table) {
  std::vector<std::pair<double, double>> points;  // predicted, measured
  for (const auto& [configuration, r] : table.records)
    if (r.status == Status::ok) points.emplace_back(r.predicted, r.seconds);
  // Of equal ones each has the mean of their ranks.
  const auto ranks = [&](auto value) {
    std::vector<std::size_t> order(points.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(),
              [&](auto a, auto b) { return value(points[a]) < value(points[b]); });
    std::vector<double> rank(points.size());
    for (std::size_t i = 0, end; i < order.size(); i = end) {
      for (end = i + 1; end < order.size() && value(points[order[end]]) == value(points[order[i]]);)
        ++end;
      for (std::size_t j = i; j < end; ++j) rank[order[j]] = static_cast<double>(i + end - 1) / 2;
    }
    return rank;
  };
  const auto a = ranks([](const auto& p) { return p.first; });
  const auto b = ranks([](const auto& p) { return p.second; });
  const double mean = (static_cast<double>(points.size()) - 1) / 2;
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    ab += (a[i] - mean) * (b[i] - mean);
    aa += (a[i] - mean) * (a[i] - mean);
    bb += (b[i] - mean) * (b[i] - mean);
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

int show_replays(const std::string& path, const std::string& svg) {
  constexpr int seeds = 100;
  const Table table = load_table(path);
  const std::vector<Replay> all = replay_all(table, seeds);
  const auto good = std::count_if(table.records.begin(), table.records.end(), [&](const auto& r) {
    return r.second.status == Status::ok && table.optimum / r.second.seconds >= kGood;
  });
  wb::print("{} configurations; {} of them have {:.0f} % of the optimum, {}\n",
            table.records.size(), good, 100 * kGood, wb::report::format_time(table.optimum));
  if (table.predicted)
    wb::print("Rank correlation of predicted and measured times: {:.2f}\n",
              rank_correlation(table));
  wb::report::Table shown{{{.head = "strategy", .left = true},
                           {.head = "trials"},
                           {.head = "quartiles"},
                           {.head = "after 16"},
                           {.head = "after 64"},
                           {.head = "after 256"}}};
  for (const Replay& r : all) {
    auto& row = shown.rows.emplace_back(
        std::vector{r.strategy, fmt::format("{:.0f}", r.trials.median),
                    fmt::format("{:.0f} to {:.0f}", r.trials.low, r.trials.high)});
    for (const std::size_t trials : {16, 64, 256})
      row.push_back(
          fmt::format("{:.1f}%", 100 * r.reached[std::min(trials, r.reached.size()) - 1].median));
  }
  shown.notes = fmt::format(
      "Trials until {:.0f} % of the optimum, and what was reached after so "
      "many: medians of {} seeds.\n",
      100 * kGood, seeds);
  wb::put(wb::report::as_text({shown}, wb::report::Style::screen(true)));
  if (!wb::in_path("gnuplot"))
    wb::print("For a picture: apt-get install gnuplot-nox\n");
  else if (svg.empty())
    wb::put(wb::report::as_text({plot(table, all)}, wb::report::Style::screen(true)));
  else
    wb::write_atomically(svg, plot(table, all).draw(wb::report::Picture::svg, 100));
  return 0;
}

}  // namespace tune
