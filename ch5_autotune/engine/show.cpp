// What a search found, in words and pictures.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/failure.h"
#include "base/files.h"
#include "base/output.h"
#include "report/gnuplot.h"
#include "report/quantity.h"
#include "search.h"

namespace tune {

void show(const Journal& journal, const Space& space, const Winner* winner) {
  const History& history = journal.history;
  wb::print("{}, {}, on {}\n", journal.subject.lesson, journal.subject.axes,
            journal.subject.device);
  std::map<std::string, int> counts;
  std::map<std::string, std::string> reasons;
  for (const Record& r : history) {
    ++counts[name(r.status)];
    if (!r.reason.empty()) reasons.try_emplace(name(r.status), r.reason);
  }
  for (const auto& [status, count] : counts)
    wb::print("{:>6} {}{}\n", count, status,
              reasons.contains(status) ? ": first " + reasons[status] : "");
  const Record* fastest = best(history);
  if (!fastest) return wb::print("None was right.\n");
  const auto close = std::count_if(history.begin(), history.end(), [&](const Record& r) {
    return r.status == Status::ok && r.seconds <= 1.01 * fastest->seconds;
  });
  wb::print("Best trial: {} in {}; {} more within 1 %\n", space.words(fastest->configuration),
            wb::format_time(fastest->seconds), close - 1);
  if (!winner) return wb::print("No winner was kept: the search did not end.\n");
  wb::print("Winner: {}\n", winner->configuration);
  wb::print("Timed anew, in turn with the default: {} against {}, {:.3f}x\n",
            wb::format_time(winner->seconds), wb::format_time(winner->fallback_seconds),
            winner->fallback_seconds / winner->seconds);
  const double gain = winner->fallback_seconds - winner->seconds;
  const double calls = std::ceil(winner->search_seconds / gain);
  if (gain > 0)
    wb::print("The search took {:.0f} s: paid for after {} calls.\n", winner->search_seconds,
              calls < 1000 ? fmt::format("{:.0f}", calls) : wb::format_count(calls));
  else
    wb::print("The search took {:.0f} s, and the default stays.\n", winner->search_seconds);
}

void plot(const Journal& journal, const std::string& svg) {
  wb::require_gnuplot();
  const bool text = svg.empty();
  std::string trials, fastest, generations, registers, occupancy;
  double so_far = 0;
  int trial = 0, generation = -1;
  for (const Record& r : journal.history) {
    ++trial;
    if (r.generation != generation && so_far > 0)
      generations += fmt::format("{} {:.9g}\n", trial, so_far);
    generation = r.generation;
    if (r.status != Status::ok) continue;
    trials += fmt::format("{} {:.9g}\n", trial, 1e6 * r.seconds);
    so_far = so_far > 0 ? std::min(so_far, 1e6 * r.seconds) : 1e6 * r.seconds;
    fastest += fmt::format("{} {:.9g}\n", trial, so_far);
    if (r.registers) registers += fmt::format("{} {:.9g}\n", r.registers, r.flops / 1e12);
    if (r.occupancy > 0)
      occupancy += fmt::format("{:.9g} {:.9g}\n", 100 * r.occupancy, r.flops / 1e12);
  }
  if (trials.empty()) throw wb::Failure(1, "no trial was right: there is nothing to draw");
  const Subject& s = journal.subject;
  std::string blocks, plots;
  const auto block = [&](const char* name, const std::string& lines) {
    blocks += fmt::format("${} << EOD\n{}EOD\n", name, lines.empty() ? "1 0\n" : lines);
  };
  block("trials", trials);
  block("fastest", fastest);
  block("generations", generations);
  plots = fmt::format("set title {}\nset xlabel 'trial'\nset ylabel 'us'\nset logscale y\nplot {}",
                      wb::gnuplot_text(fmt::format("{}, {}", s.lesson, s.axes)),
                      text ? "$trials with points pt '.' title 'a trial', $fastest with points pt "
                             "'*' title 'best so far'\n"
                           : "$trials with points pt 7 ps 0.3 lc rgb '#999999' title 'a trial', "
                             "$fastest with steps lw 2.5 lc rgb '#c0392b' title 'best so far', "
                             "$generations with points pt 2 ps 0.7 lc rgb '#1f4e79' title 'a "
                             "generation begins'\nset grid lt 1 lw 0.5 lc rgb '#dddddd'\n");
  int panels = 1;
  for (const auto& [name, label, lines] :
       {std::tuple("registers", "registers per thread", &registers),
        std::tuple("occupancy", "occupancy: % of the threads that a multiprocessor can have",
                   &occupancy)}) {
    if (lines->empty()) continue;
    ++panels;
    block(name, *lines);
    plots += fmt::format(
        "unset logscale y\nunset title\nset xlabel \"{}\"\nset ylabel 'TFLOP/s'\n"
        "plot ${} with points {} title 'a trial'\n",
        label, name, text ? "pt 'o'" : "pt 7 ps 0.4 lc rgb '#2e7d32'");
  }
  const auto width = std::clamp<std::size_t>(wb::screen_width(100), 60, 120);
  const std::string terminal =
      text ? fmt::format("dumb noenhanced mono size {}, {}", width, 22 * panels)
           : fmt::format("svg noenhanced size 900, {} font 'Helvetica,14' background '#ffffff'",
                         480 * panels);
  const std::string drawn = wb::run_gnuplot(
      fmt::format("{}set terminal {}\nset key below height 1\nset border 3\nset tics nomirror\n"
                  "set multiplot layout {}, 1\n{}unset multiplot\n",
                  blocks, terminal, panels, plots));
  text ? wb::put(drawn) : wb::write_atomically(svg, drawn);
}

}  // namespace tune
