#include "report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/grid.h"
#include "report/quantity.h"

namespace wb {

namespace {

// Three significant digits whatever the size: 0.0123, 1.23, 12.3, 123, 1234.
std::string three_digits(double value) {
  if (value < 0.995) return fmt::format("{:.3g}", value);
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}", value, decimals);
}

std::string scaled(double value, std::initializer_list<std::pair<double, const char*>> units) {
  for (const auto& [unit, text] : units)
    if (value >= unit * 0.9995) return three_digits(value / unit) + " " + text;
  const auto& [unit, text] = *(units.end() - 1);
  return three_digits(value / unit) + " " + text;
}

std::string roof_cell(const Standing& s) {
  if (s.floor == 0) return "-";
  return format_percent(s.roof) + (s.suspect ? " suspect" : "");
}

std::string counted_cell(const Row& row, const Standing& s) {
  const auto quantity = counted(row);
  if (!quantity) return "-";
  const double value = quantity->of(row, s);
  return row.rate ? format_count(value) : format_time(value);
}

// "1.02x ++ excellent"
std::string against_peer(const Row& peer, const Row& row) {
  const Comparison against = compare(peer, row);
  if (&peer == &row || against.ratio <= 0) return "-";
  return three_digits(against.ratio) + "x " + status(against);
}

std::string goodput_cell(const Row* row) {
  return row && row->split ? format_percent(row->split->compute) : "-";
}

}  // namespace

const Row* SideBySide::find(const std::string& variant) const {
  for (const Row* row : rows)
    if (row->variant == variant) return row;
  return nullptr;
}

const Row* SideBySide::peer() const {
  for (const Row* row : rows)
    if (is_peer(*row)) return row;
  return nullptr;
}

std::vector<SideBySide> side_by_side(const Results& results) {
  std::vector<SideBySide> all;
  for (const Row& row : results.rows) {
    if (!row.sweep.empty()) continue;
    const auto same = [&](const SideBySide& c) {
      return static_cast<const CaseKey&>(c.first()) == row;
    };
    const auto found = std::find_if(all.begin(), all.end(), same);
    if (found == all.end())
      all.push_back({{&row}});
    else
      found->rows.push_back(&row);
  }
  return all;
}

std::string trouble(const Row& row) {
  std::string why = name(row.status);
  if (row.status != Status::skipped)
    std::transform(why.begin(), why.end(), why.begin(), [](char c) { return std::toupper(c); });
  why = row.status == Status::ok ? "no samples" : why + ": " + row.reason;
  std::replace(why.begin(), why.end(), '\n', ' ');
  return why;
}

std::string format_time(double s) { return scaled(s, {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}}); }
std::string format_bytes_per_second(double r) { return scaled(r, {{1e12, "TB/s"}, {1e9, "GB/s"}}); }
std::string format_bytes(double n) {
  return scaled(n, {{0x1p30, "GiB"}, {0x1p20, "MiB"}, {0x1p10, "KiB"}, {1, "B"}});
}
std::string format_flops(double r) { return scaled(r, {{1e12, "TFLOP/s"}, {1e9, "GFLOP/s"}}); }
std::string format_count(double n) {
  return scaled(n, {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}});
}
std::string format_error(double relative) { return fmt::format("{:.1e}", relative); }
std::string format_percent(double share) { return fmt::format("{:.1f}%", 100 * share); }

std::string format_ratio(const Comparison& c) {
  if (c.ratio <= 0) return "-";
  return fmt::format("{}x [{}, {}] {}", three_digits(c.ratio), three_digits(c.low),
                     three_digits(c.high), c.verdict);
}

const char* name(Bound bound) {
  switch (bound) {
    case Bound::memory: return "memory";
    case Bound::compute: return "compute";
    case Bound::link: return "link";
    case Bound::launch: return "launch";
    case Bound::unknown: break;
  }
  return "-";
}

std::string case_table(const SideBySide& c, const Results& results, Style style) {
  const Row* baseline = c.find("baseline");
  double fastest = 0;
  for (const Row* row : c.rows) fastest = std::max(fastest, standing(*row, nullptr).gflops);
  const bool tera = fastest >= 1000;
  Grid grid{{"variant", "time", "vs baseline", "GB/s", tera ? "TFLOP/s" : "GFLOP/s", "FLOP/B",
             "bound", "% of roof", "goodput"},
            {}};
  const auto any = [&](auto what) { return std::any_of(c.rows.begin(), c.rows.end(), what); };
  const bool enqueue = any([](const Row* row) { return row->enqueue > 0; });
  const auto counts =
      std::find_if(c.rows.begin(), c.rows.end(), [](const Row* row) { return row->items > 0; });
  if (enqueue) grid.head.insert(grid.head.begin() + 2, "host");
  if (counts != c.rows.end()) grid.head.push_back(counted(**counts)->name());
  const Row* peer = c.peer();
  if (peer) grid.head.push_back("vs " + peer->variant);
  std::vector<std::pair<std::string, std::string>> notes;  // the note, the variants it is about
  const auto note = [&](const std::string& text, const std::string& variant) {
    const auto known =
        std::find_if(notes.begin(), notes.end(), [&](const auto& n) { return n.first == text; });
    if (known == notes.end())
      notes.emplace_back(text, variant);
    else
      known->second += ", " + variant;
  };
  for (const Row* row : c.rows) {
    if (!has_speed(*row)) {
      grid.body.push_back({row->variant, trouble(*row)});
      continue;
    }
    const Standing s = standing(*row, results.ceilings_of(row->backend));
    const std::string against = row == baseline ? "1.00x"
                                : baseline      ? format_ratio(compare(*baseline, *row))
                                                : "-";
    grid.body.push_back({row->variant, format_time(s.seconds), against, three_digits(s.gbps),
                         three_digits(tera ? s.gflops / 1000 : s.gflops),
                         fmt::format("{:.3g}", s.intensity), name(s.bound), roof_cell(s),
                         goodput_cell(row)});
    auto& cells = grid.body.back();
    if (enqueue)
      cells.insert(cells.begin() + 2, row->enqueue > 0 ? format_time(row->enqueue) : "-");
    if (counts != c.rows.end()) cells.push_back(counted_cell(*row, s));
    if (peer) cells.push_back(against_peer(*peer, *row));
    if (!row->note.empty()) note(row->note, row->variant);
    if (s.suspect)
      note("more than a ceiling allows: cache reuse, missing work or a wrong cost, no win",
           row->variant);
  }
  std::string text = grid.print(style);
  if (style == Style::markdown && !notes.empty()) text += "\n";
  for (const auto& [what, variants] : notes) text += "note: " + variants + ": " + what + "\n";
  return text;
}

std::string summary_table(const Results& results, Style style) {
  Grid grid{{"lesson", "case", "baseline", "optimized", "speedup", "% of roof", "goodput"}, {}};
  grid.left = 2;
  const auto with_peer = side_by_side(results);
  const bool peer = std::any_of(with_peer.begin(), with_peer.end(),
                                [](const SideBySide& c) { return c.peer() != nullptr; });
  if (peer) grid.head.push_back("vs peer");
  std::set<std::string> seen, backends;
  for (const Row& row : results.rows) backends.insert(row.backend);
  bool several = false;
  for (const SideBySide& c : side_by_side(results)) {
    const Row& first = c.first();
    const std::string key =
        backends.size() > 1 ? fmt::format("{} {}", first.lesson, first.backend) : first.lesson;
    if (!seen.insert(key).second) {
      several = true;
      continue;
    }
    const Row* baseline = c.find("baseline");
    const Row* optimized = c.find("optimized");
    const auto time = [](const Row* row) {
      if (!row) return std::string("-");
      return row->status == Status::skipped ? std::string("skipped")
             : row->status != Status::ok    ? std::string("WRONG")
                                            : format_time(standing(*row, nullptr).seconds);
    };
    if (!baseline && !optimized) {
      grid.body.push_back({key, trouble(first)});
      continue;
    }
    const bool both = baseline && optimized;
    grid.body.push_back(
        {key, label(first.axes) + (first.cache == "hot" ? " hot" : ""), time(baseline),
         time(optimized), both ? format_ratio(compare(*baseline, *optimized)) : "-",
         optimized ? roof_cell(standing(*optimized, results.ceilings_of(first.backend))) : "-",
         goodput_cell(baseline) + " -> " + goodput_cell(optimized)});
    if (peer)
      grid.body.back().push_back(c.peer() && optimized ? against_peer(*c.peer(), *optimized) : "-");
  }
  std::string out = grid.print(style);
  if (several)
    out += std::string(style == Style::markdown ? "\n" : "") +
           "Lessons with several cases show their first.\n";
  return out;
}

namespace {

std::string quoted(const std::string& text) {  // for CSV
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  return fmt::format("\"{}\"", escaped(text, '"', '"'));
}

// Of all cases, in order of appearance.
std::vector<std::string> axis_names(const Results& results) {
  std::vector<std::string> names;
  for (const Row& row : results.rows)
    for (const Axis& axis : row.axes)
      if (std::find(names.begin(), names.end(), axis.name) == names.end())
        names.push_back(axis.name);
  return names;
}

std::string csv_line(const Row& row, const Row* baseline, const Standing& s,
                     const std::vector<std::string>& axes) {
  const Comparison against = baseline ? compare(*baseline, row) : Comparison{};
  const auto figure = [&](double value, bool present = true) {
    return has_speed(row) && present ? fmt::format("{:.6g}", value) : "";
  };
  const auto& split = row.split;
  std::string out =
      fmt::format("{},{},{},{}", row.lesson, row.variant, row.backend, quoted(label(row.axes)));
  for (const std::string& name : axes) {
    const Axis* axis = row.axes.find(name);
    out += "," + (!axis ? "" : axis->word ? quoted(axis->word) : std::to_string(axis->number));
  }
  out += fmt::format(",{},{},{}", row.clock, row.cache, row.timer);
  out += fmt::format(",{},{},{},{},{},{},{},{},{},{}", figure(s.seconds),
                     figure(against.ratio, baseline), figure(against.low, baseline),
                     figure(against.high, baseline), against.verdict, figure(s.gbps * 1e9),
                     figure(s.gflops * 1e9), figure(s.intensity), name(s.bound),
                     figure(s.roof, s.floor > 0));
  out += fmt::format(",{},{},{},{},{}", figure(split ? split->compute : 0, !!split),
                     figure(useful(row), !!split), figure(row.total, !!split),
                     figure(row.error ? row.error->relative : 0, !!row.error),
                     figure(row.error ? row.error->of_allowed : 0, !!row.error));
  return out + fmt::format(",{},{},{}\n", name(row.status), quoted(row.reason), quoted(row.note));
}

}  // namespace

std::string csv(const Results& results) {
  const std::vector<std::string> axes = axis_names(results);
  std::string out = "lesson,variant,backend,case";
  for (const std::string& name : axes) out += "," + quoted(name);
  out +=
      ",clock,cache,timer,seconds,speedup,speedup_low,speedup_high,verdict,bytes_per_second,"
      "flops_per_second,flops_per_byte,bound,share_of_roof,goodput,useful_seconds,total_seconds,"
      "worst_error,worst_error_of_allowed,status,reason,note\n";
  Results flat = results;  // the points of a sweep are rows like others here
  for (Row& row : flat.rows) row.sweep.clear();
  for (const SideBySide& c : side_by_side(flat))
    for (const Row* row : c.rows)
      out += csv_line(*row, c.find("baseline"), standing(*row, results.ceilings_of(row->backend)),
                      axes);
  return out;
}

std::string ceilings_table(const Ceilings& ceilings) {
  Grid grid{{"ceiling", "measured"}, {}};
  for (const auto& [key, value] : ceilings.values)
    grid.body.push_back({key, key == "launch" || key.ends_with("_floor") ? format_time(value)
                              : key.ends_with("_bytes")                  ? format_bytes(value)
                              : key == "fp32" || key == "bf16_tensor"
                                  ? format_flops(value)
                                  : format_bytes_per_second(value)});
  return fmt::format("{} ({}), {}\n{}", ceilings.device.name, ceilings.device.driver, ceilings.date,
                     grid.print(Style::text));
}

std::string days(const Results& results) {
  if (results.rows.empty()) return "";
  const auto [first, last] =
      std::minmax_element(results.rows.begin(), results.rows.end(),
                          [](const Row& a, const Row& b) { return a.date < b.date; });
  return first->date + (first->date == last->date ? "" : " to " + last->date);
}

std::string provenance(const Results& results, const std::string& command) {
  if (results.rows.empty()) return "";
  const Ceilings* ceilings = results.ceilings_of(results.rows.front().backend);
  if (!ceilings && results.machine.empty()) return "";
  return fmt::format("Measured on {}, {}, with {}.\n",
                     ceilings ? ceilings->device.name : results.machine, days(results), command);
}

std::string goodput(const Row& row) {
  if (!row.split)
    return "goodput unknown: " + (row.no_goodput.empty() ? "no traced pass" : row.no_goodput);
  return fmt::format("goodput={} (useful={} total={})", format_percent(row.split->compute),
                     format_time(useful(row)), format_time(row.total));
}

}  // namespace wb
