#include "plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/gnuplot.h"

namespace tune {
namespace {

// As many lines in a terminal; 480 pixels for 22 of them.
std::string drawn(const std::string& script, int lines, wb::report::Picture picture, int width) {
  const std::string terminal =
      picture == wb::report::Picture::terminal
          ? fmt::format("dumb noenhanced mono size {}, {}", std::clamp(width, 60, 120), lines)
          : fmt::format(
                "svg noenhanced size 900, {} font 'Helvetica,14' "
                "background '#ffffff'",
                lines / 22 * 480);
  return wb::report::run_gnuplot(
      fmt::format("set terminal {}\nset key below height 1\nset border 3\nset tics nomirror\n"
                  "set datafile missing 'nan'\n{}",
                  terminal, script));
}

std::string trials_drawn(const Journal& journal, wb::report::Picture picture, int width) {
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
  if (trials.empty()) return "";
  const Subject& s = journal.subject;
  std::string script = fmt::format(
      "$T << EOD\n{}EOD\nset multiplot layout {}, 1\nset title {}\n"
      "set xlabel 'trial'\nset ylabel 'us'\nset logscale y\nset format y '%.15g'\n"
      "plot $T using 1:3 with steps lw 2.5 lc rgb '#c0392b' title 'best so far', "
      "$T using 1:2 with points pt 'o' lc rgb '#555555' title 'a trial', "
      "$T using 1:4 with points pt '|' lc rgb '#1f4e79' title 'a new generation'\n"
      "unset logscale y\nunset title\nset ylabel 'TFLOP/s'\n",
      trials, gpu ? 3 : 1, wb::report::gnuplot_text(s.lesson + ", " + s.axes));
  const auto panel = [&](const char* x, int column) {
    script += fmt::format(
        "set xlabel '{}'\nplot $T using {}:7 with points pt 'o' lc rgb '#2e7d32' title 'a trial'\n",
        x, column);
  };
  if (gpu) panel("registers per thread", 5);
  if (gpu) panel("occupancy: % of the threads that a multiprocessor can have", 6);
  return drawn(script + "unset multiplot\n", gpu ? 66 : 22, picture, width);
}

std::string replays_drawn(const Table& table, const std::vector<Replay>& all,
                          wb::report::Picture picture, int width) {
  const bool terminal = picture == wb::report::Picture::terminal;
  std::string script, areas, curves;
  constexpr const char* colours[] = {"#808080", "#222222", "#00838f",
                                     "#b8860b", "#2e7d32", "#c0392b"};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Replay& r = all[i];
    script += "$" + r.strategy + " << EOD\n";
    // Some of the trials, which is enough for a logarithmic axis.
    for (std::size_t t = 0; t < r.reached.size(); t += 1 + t / 16)
      script += fmt::format("{} {:.4g} {:.4g} {:.4g}\n", t + 1, 100 * r.reached[t].median,
                            100 * r.reached[t].low, 100 * r.reached[t].high);
    script += "EOD\n";
    const char* const colour = colours[i % std::size(colours)];
    const char letter = r.strategy == "exhaustive" ? 'x' : r.strategy[0];  // e is evolutionary's
    if (!terminal)
      areas += fmt::format(
          "${} using 1:3:4 with filledcurves notitle fs transparent solid 0.15 "
          "noborder lc rgb '{}', ",
          r.strategy, colour);
    curves += fmt::format("${0} using 1:2 with {1} title '{0}', ", r.strategy,
                          terminal ? fmt::format("points pt '{}'", letter)
                                   : fmt::format("lines lw 2 lc rgb '{}'", colour));
  }
  return drawn(
      fmt::format("{}set logscale x\nset xrange [1:{}]\nset yrange [40:101]\nset xlabel 'trials'\n"
                  "set ylabel '% of the optimum'\nplot {}{}{} with lines notitle {}\n",
                  script, table.records.size(), areas, curves, 100 * kGood,
                  terminal ? "" : "dt 2 lc rgb '#1f4e79'"),
      26, picture, width);
}

}  // namespace

wb::report::Figure plot(const Journal& journal) {
  return {"every trial, and the best so far", "search.svg",
          [&journal](wb::report::Picture picture, int width) {
            return trials_drawn(journal, picture, width);
          }};
}

wb::report::Figure plot(const Table& table, const std::vector<Replay>& all) {
  return {"what each strategy reached", "replay.svg",
          [&table, &all](wb::report::Picture picture, int width) {
            return replays_drawn(table, all, picture, width);
          }};
}

}  // namespace tune
