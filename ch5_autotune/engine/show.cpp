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

namespace {

constexpr const char* kBegin = "set key below height 1\nset border 3\nset tics nomirror\n";

}  // namespace

void plot(const Journal& journal, const std::string& svg) {
  wb::require_gnuplot();
  std::string trials, fastest, generations, registers;
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
  }
  if (trials.empty()) throw wb::Failure(1, "no trial was right: there is nothing to draw");
  const bool both = !registers.empty(), text = svg.empty();
  const auto block = [](const char* name, const std::string& lines) {
    return fmt::format("${0} << EOD\n{1}EOD\n", name, lines);
  };
  std::string script = block("trials", trials) + block("fastest", fastest) +
                       block("generations", generations.empty() ? "1 0\n" : generations) +
                       block("registers", both ? registers : "0 0\n");
  const int width = static_cast<int>(std::clamp<std::size_t>(wb::screen_width(100), 60, 120));
  script +=
      text ? fmt::format("set terminal dumb noenhanced mono size {}, {}\n", width, both ? 44 : 22)
           : fmt::format(
                 "set terminal svg noenhanced size 900, {} font 'Helvetica,14' "
                 "background '#ffffff'\n",
                 both ? 900 : 480);
  script += kBegin;
  if (!text) script += "set grid lt 1 lw 0.5 lc rgb '#dddddd'\n";
  if (both) script += "set multiplot layout 2, 1\n";
  const Subject& s = journal.subject;
  script += "set title " + wb::gnuplot_text(fmt::format("{}, {}", s.lesson, s.axes)) + "\n";
  script += "set xlabel 'trial'\nset ylabel 'us'\nset logscale y\n";
  script +=
      text ? "plot $trials with points pt '.' title 'a trial', $fastest with points pt '*' "
             "title 'best so far'\n"
           : "plot $trials with points pt 7 ps 0.3 lc rgb '#999999' title 'a trial', $fastest "
             "with steps lw 2.5 lc rgb '#c0392b' title 'best so far', $generations with points "
             "pt 2 ps 0.7 lc rgb '#1f4e79' title 'a generation begins'\n";
  if (both)
    script += std::string(
                  "unset logscale y\nunset title\nset xlabel 'registers per thread'\nset "
                  "ylabel 'TFLOP/s'\nplot $registers with points ") +
              (text ? "pt 'o'" : "pt 7 ps 0.4 lc rgb '#2e7d32'") +
              " title 'a trial'\nunset multiplot\n";
  const std::string drawn = wb::run_gnuplot(script);
  if (text)
    wb::put(drawn);
  else
    wb::write_atomically(svg, drawn);
}

}  // namespace tune
