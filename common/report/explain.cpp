#include "report/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/median.h"

namespace wb::report {

namespace {

// How far a row is from the ceiling that was measured for it, in words.
std::string against_roof(const Row& row, const Standing& s, const Ceilings* ceilings) {
  if (s.bound == Bound::unknown)
    return "has no roof: this machine's ceilings are not measured (./workbook peaks does that)";
  if (s.bound == Bound::launch)
    return fmt::format("is too short for a ceiling to bound it: its work alone needs {} of {}",
                       format_time(s.floor), format_time(s.seconds));
  const bool compute = s.bound == Bound::compute;
  const std::string math =
      words(row.cost.math, ceilings && ceilings->device.accelerator) + " arithmetic";
  const char* what = s.bound == Bound::memory ? "memory bandwidth"
                     : s.bound == Bound::link ? "the busier direction of the host link"
                                              : math.c_str();
  const auto format = compute ? format_flops : format_bytes_per_second;
  const double rate = 1e9 * (compute ? s.gflops : s.gbps);
  return fmt::format("reaches {} of its roof, {} ({} of {})", format_percent(s.roof), what,
                     format(rate), format(rate / s.roof));
}

// Whether its time is that of the host, which keeps the GPU waiting for more than half of it. (A
// short kernel by itself waits as long in the traced pass, but its samples leave those gaps out:
// they are half of that pass or less, and 0.7 of it where the gaps are inside, for tracing slows
// the host.)
bool waits_for_host(const Row& row, double seconds) {
  return row.split && row.split->launch + row.split->idle > 0.5 && seconds > 0.6 * row.total;
}

}  // namespace

std::string explain(const SideBySide& c, const Results& results) {
  const Row *baseline = c.reference(), *best = c.best();
  if (role_of(best->variant) == VariantRole::program) return "";  // it crashed, and its row says so
  const Ceilings* ceilings = results.ceilings_of(best->backend);
  const Standing s = standing(*best, ceilings);
  if (s.seconds == 0)
    return best->variant +
           (best->status == Status::wrong ? " gives a wrong answer" : " did not run") +
           ", so there is no speed to compare.\n";

  std::string text = best->variant;
  if (baseline && baseline != best) {
    const Comparison against = compare(*baseline, *best);
    if (against.verdict == "faster" || against.verdict == "slower")
      text += fmt::format(" is {:.3g}x {} than {} and",
                          against.ratio > 1 ? against.ratio : 1 / against.ratio, against.verdict,
                          baseline->variant);
    else if (against.verdict == "same")
      text += " is as fast as " + baseline->variant + " and";
    else if (against.verdict == "ambiguous")
      text +=
          " may be faster or slower than " + baseline->variant + ": these samples can't tell. It";
  }
  text += fmt::format(" {}. ", against_roof(*best, s, ceilings));
  if (s.bound == Bound::memory && s.delivered < kShared)
    text += fmt::format(
        "Other programs used the memory: a plain triad got {} here, and {} on the idle machine, "
        "which "
        "sets the roof. ",
        format_bytes_per_second(best->memory), format_bytes_per_second(best->memory / s.delivered));
  const bool gpu = ceilings && ceilings->device.accelerator;
  if (gpu && baseline && baseline != best && has_speed(*baseline) &&
      waits_for_host(*baseline, median(baseline->samples)) && !waits_for_host(*best, s.seconds))
    text += baseline->variant +
            " waits for the host, so the speedup differs from run to run by more than its "
            "interval.";
  while (text.back() == ' ') text.pop_back();
  text += "\n";

  // On the wall clock a sample holds the gaps too; the traced pass says what part of it they are.
  const double share = best->split ? best->split->compute : 0;
  const double busy = best->clock == "wall" ? share * s.seconds : s.seconds;
  if (s.device_floor > 0 && share > 0) {
    const double kernel = s.device_floor / busy;
    if (kernel > 1) return text;  // a cache helped, or the ceiling is too low: no share of anything
    text +=
        fmt::format("Kernel efficiency {} x goodput {} = {} end to end.\n", format_percent(kernel),
                    format_percent(share), format_percent(kernel * share));
  }
  return text;
}

std::string beside_peers(const Results& of_a_lesson) {
  std::string text;
  std::map<std::string, std::vector<std::pair<double, const Row*>>> ratios;  // by backend
  for (const SideBySide& c : side_by_side(of_a_lesson)) {
    const Row *own = c.find("all_shapes"), *peer = c.peer();
    if (!own) own = c.find("optimized");
    if (const double r = own && peer ? compare(*peer, *own).ratio : 0; r > 0)
      ratios[own->backend].emplace_back(r, own);
  }
  for (const auto& [backend, all] : ratios) {
    if (all.size() < 2) continue;
    double logarithms = 0;
    for (const auto& [ratio, row] : all) logarithms += std::log(ratio);
    const auto& [worst, row] = *std::ranges::min_element(all);
    text += fmt::format(
        "Next to the fastest peer, over {} cases, {} is {:.3g}x as fast (geometric mean), "
        "{:.3g}x at worst ({}).\n",
        all.size(), row->variant, std::exp(logarithms / static_cast<double>(all.size())), worst,
        of_a_lesson.name_of(*row));
  }
  return text;
}

std::string parts(const Split& split, const char* before, const char* between) {
  std::string text;
  for (const auto& [what, share] : {std::pair{"copies", split.copies},
                                    {"allocation", split.allocation},
                                    {"gaps", split.launch},
                                    {"idle", split.idle}})
    if (share >= 0.0005) text += before + (what + (between + format_percent(share)));
  return text;
}

std::string goodput(const Row& row) {
  if (!row.split)
    return "goodput unknown: " + (row.no_goodput.empty() ? "no traced pass" : row.no_goodput);
  return fmt::format("goodput={} (useful={} total={})", format_percent(row.split->compute),
                     format_time(useful(row)), format_time(row.total));
}

std::string goodput_lines(const SideBySide& c) {
  std::string lines, busy, last;
  for (const Row* row : c.rows) {
    if (!has_speed(*row)) continue;
    last = goodput(*row) + "  " + row->variant;
    if (row->split) last += parts(*row->split, " ", "=");
    if (row->split && row->split->compute >= 0.995)
      busy += (busy.empty() ? "" : ", ") + row->variant;
    else
      lines += last + "\n";
  }
  if (busy.empty()) return lines;
  const bool alone = lines.empty() && busy.find(',') == busy.npos;
  const std::string all = "goodput=99.5% or more  " + (lines.empty() ? "each row" : busy);
  return lines + (alone ? last : all) + "\n";
}

}  // namespace wb::report
