// What a search found, in words and pictures.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/failure.h"
#include "base/files.h"
#include "base/output.h"
#include "report/gnuplot.h"
#include "report/quantity.h"
#include "search.h"

namespace tune {

void show(const Journal& journal, const Space& space, const std::optional<Winner>& winner) {
  const History& history = journal.history;
  wb::print("{}, {}, on {}\n", journal.subject.lesson, journal.subject.axes,
            journal.subject.device);
  std::map<std::string, std::pair<int, std::string>> counts;  // how many, and the first's reason
  for (const Record& r : history) {
    auto& [count, reason] = counts[name(r.status)];
    if (!count++ && !r.reason.empty()) reason = ": first " + r.reason;
  }
  for (const auto& [status, all] : counts) wb::print("{:>6} {}{}\n", all.first, status, all.second);
  const Record* fastest = best(history);
  if (!fastest) return wb::print("None was right.\n");
  const auto close = std::count_if(history.begin(), history.end(), [&](const Record& r) {
    return r.status == Status::ok && r.seconds <= 1.01 * fastest->seconds;
  });
  wb::print("Best trial: {} in {}; {} more within 1 %\n", space.words(fastest->configuration),
            wb::format_time(fastest->seconds), close - 1);
  if (!winner) return wb::print("No winner was kept: the search did not end.\n");
  wb::print("Winner: {}\n", winner->configuration);
  const double otherwise = winner->fallback_seconds, gain = otherwise - winner->seconds;
  if (otherwise == 0)
    return wb::print("Timed anew: {}. The default is not right here.\n",
                     wb::format_time(winner->seconds));
  wb::print("Timed anew, in turn with the default: {} against {}, {:.3f}x\n",
            wb::format_time(winner->seconds), wb::format_time(otherwise),
            otherwise / winner->seconds);
  const double calls = std::ceil(winner->search_seconds / gain);
  wb::print("The search took {:.0f} s{}.\n", winner->search_seconds,
            !(gain > 0)    ? ", and the default stays"
            : calls < 1000 ? fmt::format(": paid for after {:.0f} calls", calls)
                           : fmt::format(": paid for after {} calls", wb::format_count(calls)));
}

void plot(const Journal& journal, const std::string& svg) {
  wb::require_gnuplot();
  std::string trials, fastest, generations, registers, occupancy;
  double so_far = HUGE_VAL;
  int trial = 0, generation = -1;
  for (const Record& r : journal.history) {
    ++trial;
    if (r.status == Status::ok) so_far = std::min(so_far, 1e6 * r.seconds);
    if (r.generation != generation && so_far < HUGE_VAL)
      generations += fmt::format("{} {:.9g}\n", trial, so_far);
    generation = r.generation;
    if (r.status != Status::ok) continue;
    trials += fmt::format("{} {:.9g}\n", trial, 1e6 * r.seconds);
    fastest += fmt::format("{} {:.9g}\n", trial, so_far);
    if (r.registers) registers += fmt::format("{} {:.9g}\n", r.registers, r.flops / 1e12);
    if (r.occupancy > 0)
      occupancy += fmt::format("{:.9g} {:.9g}\n", 100 * r.occupancy, r.flops / 1e12);
  }
  if (trials.empty()) throw wb::Failure(1, "no trial was right: there is nothing to draw");
  struct Curve {
    const char *title, *style;
    const std::string& points;
  };
  std::string script;
  int panels = 0;
  const auto panel = [&](const char* x, const char* y, std::initializer_list<Curve> curves) {
    std::string plots, points;
    for (const Curve& c : curves)
      if (!c.points.empty()) {
        plots += fmt::format("{} '-' with {} title '{}'", plots.empty() ? "plot" : ",", c.style,
                             c.title);
        points += c.points + "e\n";
      }
    if (plots.empty()) return;
    ++panels;
    script += fmt::format("set xlabel '{}'\nset ylabel '{}'\n{}\n{}", x, y, plots, points);
  };
  panel("trial", "us",
        {{"best so far", "steps lw 2.5 lc rgb '#c0392b'", fastest},
         {"a trial", "points pt 'o' lc rgb '#555555'", trials},
         {"a generation begins", "points pt '|' lc rgb '#1f4e79'", generations}});
  script += "unset logscale y\nunset title\n";
  constexpr const char* style = "points pt 'o' lc rgb '#2e7d32'";
  panel("registers per thread", "TFLOP/s", {{"a trial", style, registers}});
  panel("occupancy: % of the threads that a multiprocessor can have", "TFLOP/s",
        {{"a trial", style, occupancy}});
  const Subject& s = journal.subject;
  const std::string terminal =
      svg.empty()
          ? fmt::format("dumb noenhanced mono size {}, {}",
                        std::clamp<std::size_t>(wb::screen_width(100), 60, 120), 22 * panels)
          : fmt::format("svg noenhanced size 900, {} font 'Helvetica,14' background '#ffffff'",
                        480 * panels);
  const std::string drawn = wb::run_gnuplot(fmt::format(
      "set terminal {}\nset key below height 1\nset border 3\nset tics nomirror\n"
      "set multiplot layout {}, 1\nset logscale y\nset title {}\n{}unset multiplot\n",
      terminal, panels, wb::gnuplot_text(fmt::format("{}, {}", s.lesson, s.axes)), script));
  svg.empty() ? wb::put(drawn) : wb::write_atomically(svg, drawn);
}

}  // namespace tune
