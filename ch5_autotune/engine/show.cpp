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
  std::string trials;  // us: its own, the best so far, and that where a generation begins
  double so_far = HUGE_VAL;
  int trial = 0, generation = -1;
  bool gpu = false;
  for (const Record& r : journal.history) {
    const bool right = r.status == Status::ok;
    if (right) so_far = std::min(so_far, 1e6 * r.seconds);
    ++trial;
    if (so_far == HUGE_VAL) continue;
    trials += fmt::format("{} {:.9g} {:.9g} {:.9g} {} {:.9g} {:.9g}\n", trial,
                          right ? 1e6 * r.seconds : NAN, so_far,
                          r.generation != generation ? so_far : NAN, r.registers, 100 * r.occupancy,
                          right ? r.flops / 1e12 : NAN);
    generation = r.generation;
    gpu = gpu || r.registers > 0;
  }
  if (trials.empty()) throw wb::Failure(1, "no trial was right: there is nothing to draw");
  const std::string terminal =
      svg.empty()
          ? fmt::format("dumb noenhanced mono size {}, {}",
                        std::clamp<std::size_t>(wb::screen_width(100), 60, 120), gpu ? 66 : 22)
          : fmt::format(
                "svg noenhanced size 900, {} font 'Helvetica,14' "
                "background '#ffffff'",
                gpu ? 1440 : 480);
  const Subject& s = journal.subject;
  std::string script =
      fmt::format("$T << EOD\n{}EOD\nset terminal {}\nset multiplot layout {}, 1\nset title {}\n",
                  trials, terminal, gpu ? 3 : 1, wb::gnuplot_text(s.lesson + ", " + s.axes));
  script +=
      "set key below height 1\nset border 3\nset tics nomirror\nset datafile missing 'nan'\n"
      "set xlabel 'trial'\nset ylabel 'us'\nset logscale y\n"
      "plot $T using 1:3 with steps lw 2.5 lc rgb '#c0392b' title 'best so far', "
      "$T using 1:2 with points pt 'o' lc rgb '#555555' title 'a trial', "
      "$T using 1:4 with points pt '|' lc rgb '#1f4e79' title 'a generation begins'\n"
      "unset logscale y\nunset title\nset ylabel 'TFLOP/s'\n";
  const auto panel = [&](const char* x, int column) {
    script += fmt::format(
        "set xlabel '{}'\nplot $T using {}:7 with points pt 'o' lc rgb '#2e7d32' title 'a trial'\n",
        x, column);
  };
  if (gpu) panel("registers per thread", 5);
  if (gpu) panel("occupancy: % of the threads that a multiprocessor can have", 6);
  const std::string drawn = wb::run_gnuplot(script + "unset multiplot\n");
  svg.empty() ? wb::put(drawn) : wb::write_atomically(svg, drawn);
}

}  // namespace tune
