#include "report/table.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "base/output.h"
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
  auto unit = units.begin();
  while (unit + 1 < units.end() && value < unit->first * 0.9995) ++unit;
  return three_digits(value / unit->first) + " " + unit->second;
}

std::string counted_cell(const Row& row, const Standing& s) {
  const auto quantity = counted(row);
  if (!quantity) return "-";
  return row.rate ? format_count(quantity->of(row, s)) : format_time(quantity->of(row, s));
}

std::string goodput_cell(const Row* row) {
  return row && row->split ? format_percent(row->split->compute) : "-";
}

// "1.02x ++ excellent"
std::string against_peer(const Row* peer, const Row* row) {
  const Comparison against = peer && row && peer != row ? compare(*peer, *row) : Comparison{};
  return against.ratio <= 0 ? "-" : three_digits(against.ratio) + "x " + status(against);
}

}  // namespace

const Row* SideBySide::find(const std::string& variant) const {
  for (const Row* row : rows)
    if (row->variant == variant) return row;
  return nullptr;
}

const Row* SideBySide::peer() const {
  const Row* best = nullptr;
  for (const Row* row : rows)
    if (!row->peer.empty() &&
        (!best || !has_speed(*best) ||
         (has_speed(*row) && standing(*row, nullptr).seconds < standing(*best, nullptr).seconds)))
      best = row;
  return best;
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

Results only(const Results& results, const std::function<bool(const Row&)>& wanted) {
  Results part{results.machine, results.version, results.ceilings, {}, 0, "", results.about};
  std::copy_if(results.rows.begin(), results.rows.end(), std::back_inserter(part.rows), wanted);
  return part;
}

Style Style::screen(bool wide) {
  const std::size_t width = screen_width(kUnlimited);
  constexpr std::size_t kReadable = 100;  // of a sentence
  return {.width = width == kUnlimited ? width : std::min(width, kReadable),
          .table = wide ? kUnlimited : width,
          .colours = has_colours(1)};
}

std::string trouble(const Row& row) {
  if (row.status == Status::ok) return "no samples";
  std::string why = name(row.status);
  if (row.status != Status::skipped)
    std::transform(why.begin(), why.end(), why.begin(), [](char c) { return std::toupper(c); });
  why += ": " + row.reason;
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

std::string format_roof(const Standing& s) {
  return s.floor == 0 ? "-" : format_percent(s.roof) + (s.suspect ? " suspect" : "");
}

const char* name(Bound bound) {
  constexpr const char* kNames[] = {"-", "memory", "compute", "link", "launch"};
  return kNames[static_cast<int>(bound)];
}

std::size_t column(const std::string& name) {
  // As in the head below.
  constexpr const char* kColumns[] = {"version", "time",      "host",  "speedup", "gbs",
                                      "flops",   "intensity", "bound", "roof",    "goodput",
                                      "rate",    "error",     "peer"};
  const auto at = std::find(std::begin(kColumns) + 1, std::end(kColumns), name);
  if (at == std::end(kColumns))
    throw std::runtime_error(fmt::format("no column is called {}; there are {}", name,
                                         fmt::join(std::begin(kColumns) + 1, at, ", ")));
  return at - std::begin(kColumns);
}

Grid case_grid(const SideBySide& c, const Results& results, std::string& text) {
  const Row *baseline = c.find("baseline"), *peer = c.peer();
  double fastest = 0;
  bool host = false, arithmetic = false, errors = false;
  std::optional<Quantity> counts;
  for (const Row* row : c.rows) {
    fastest = std::max(fastest, standing(*row, nullptr).gflops);
    host = host || row->enqueue > 0;
    errors = errors || row->bound > 0;
    if (!counts) counts = counted(*row);
    arithmetic |= standing(*row, results.ceilings_of(row->backend)).bound == Bound::compute;
  }
  const bool tera = fastest >= 1000;
  Grid grid{
      {"variant", "time", host ? "host" : "", "vs baseline", "GB/s", tera ? "TFLOP/s" : "GFLOP/s",
       "FLOP/B", "bound", "% of roof", "goodput", counts ? counts->name() : "",
       errors ? "error" : "", peer ? "vs " + peer->variant : ""},
      {}};
  // Last to leave is what the lesson is about: what it counts, or else what bounds it.
  for (const char* name : {"intensity", "host", arithmetic ? "gbs" : "flops", "bound",
                           arithmetic ? "flops" : "gbs", "rate", "peer"})
    grid.leaving.push_back(column(name));
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
    // The host is done with a launch before the launch is; of medians each may be of other
    // launches.
    grid.body.push_back({row->variant, format_time(s.seconds),
                         row->enqueue > 0 ? format_time(std::min(row->enqueue, s.seconds)) : "-",
                         row == baseline ? "1.00x"
                         : baseline      ? format_ratio(compare(*baseline, *row))
                                         : "-",
                         three_digits(s.gbps), three_digits(tera ? s.gflops / 1000 : s.gflops),
                         fmt::format("{:.3g}", s.intensity), name(s.bound), format_roof(s),
                         goodput_cell(row), counted_cell(*row, s),
                         row->error ? format_error(row->error->relative) : "-",
                         against_peer(peer, row)});
    if (!row->note.empty()) note(row->note, row->variant);
    if (const auto two = two_speeds(row->samples))
      note(fmt::format("two speeds, {} and {}, so a ratio to it means little: find what switches "
                       "between them, or measure again",
                       format_time(two->first), format_time(two->second)),
           row->variant);
    if (s.suspect)
      note("faster than a ceiling allows, so no win: cache reuse, missing work or a wrong cost",
           row->variant);
    if (s.over)
      note(s.bound == Bound::compute
               ? "over 100 %: the roof is what arithmetic sustains; for moments "
                 "it is faster, until power limits the clock"
           : s.delivered < kShared
               ? "over 100 %: the roof is an estimate while others use the memory"
               : "over 100 %: a cache may still hold a part of what it wrote",
           row->variant);
  }
  for (const auto& [what, variants] : notes) text += "note: " + variants + ": " + what + "\n";
  return grid;
}

std::string case_table(const SideBySide& c, const Results& results, const Style& style) {
  std::string notes;
  Grid grid = case_grid(c, results, notes);
  if (!style.is_markdown) grid.head[column("goodput")].clear();
  if (style.is_markdown || style.table != Style::kUnlimited) notes = grid.fold() + notes;
  return grid.print(style, notes);
}

std::string summary_table(const Results& results, const Style& style) {
  const auto all = side_by_side(results);
  const bool peer = std::any_of(all.begin(), all.end(), [](auto& c) { return c.peer(); });
  const bool narrow = style.table != Style::kUnlimited;
  Grid grid{{"lesson", "case", "baseline", "optimized", "speedup", "% of roof",
             style.is_markdown ? "goodput" : "", peer ? "vs peer" : ""},
            {},
            2,
            {1, 2, 3, 7}};
  // "02 Products" for ch1_x/02_gemm, where a path and the rest have no room.
  const auto called = [&](const std::string& lesson) {
    const std::string title = results.about_lesson(lesson).title;
    const std::string name = lesson.substr(lesson.find('/') + 1);
    return title.empty() || style.is_markdown ? lesson
           : narrow ? name.substr(0, name.find_first_not_of("0123456789")) + " " + title
                    : lesson + ": " + title;
  };
  std::set<std::string> seen, backends;
  for (const Row& row : results.rows) backends.insert(row.backend);
  const auto time = [](const Row* row) {
    return !row                             ? "-"
           : row->status == Status::skipped ? "skipped"
           : row->status != Status::ok      ? "WRONG"
                                            : format_time(standing(*row, nullptr).seconds);
  };
  for (const SideBySide& c : all) {
    const Row& first = c.first();
    const std::string key = called(first.lesson) + (backends.size() > 1 ? " " + first.backend : "");
    if (!seen.insert(key).second) continue;
    const Row *baseline = c.find("baseline"), *optimized = c.find("optimized");
    if (!baseline && !optimized) {
      grid.body.push_back({key, trouble(first)});
      continue;
    }
    const Ceilings* ceilings = results.ceilings_of(first.backend);
    grid.body.push_back({key, results.name_of(first), time(baseline), time(optimized),
                         baseline && optimized ? format_ratio(compare(*baseline, *optimized)) : "-",
                         optimized ? format_roof(standing(*optimized, ceilings)) : "-",
                         goodput_cell(baseline) + " -> " + goodput_cell(optimized),
                         against_peer(c.peer(), optimized)});
  }
  const bool several = seen.size() < all.size();
  return grid.print(style, several ? "Lessons with several cases show their first.\n" : "");
}

namespace {

std::string quoted(const std::string& text) {  // for CSV
  const bool plain = text.find_first_of(",\"\n\r") == std::string::npos;
  return plain ? text : '"' + escaped(text, '"', '"') + '"';
}

std::string csv_line(const Row& row, const Row* baseline, const Standing& s,
                     const std::vector<std::string>& axes) {
  std::vector<std::string> cells = {row.lesson, row.variant, row.backend, label(row.axes)};
  for (const std::string& name : axes) {
    const Axis* axis = row.axes.find(name);
    cells.push_back(!axis ? "" : axis->word ? axis->word : std::to_string(axis->number));
  }
  const auto figure = [&](double value, bool present = true) {
    return has_speed(row) && present ? fmt::format("{:.6g}", value) : "";
  };
  const Comparison against = baseline ? compare(*baseline, row) : Comparison{};
  const bool split = row.split.has_value(), error = row.error.has_value();
  cells.insert(cells.end(), {row.clock,
                             row.cache,
                             row.timer,
                             figure(s.seconds),
                             figure(against.ratio, baseline),
                             figure(against.low, baseline),
                             figure(against.high, baseline),
                             against.verdict,
                             figure(s.gbps * 1e9),
                             figure(s.gflops * 1e9),
                             figure(s.intensity),
                             name(s.bound),
                             figure(s.roof, s.floor > 0),
                             figure(split ? row.split->compute : 0, split),
                             figure(useful(row), split),
                             figure(row.total, split),
                             figure(error ? row.error->relative : 0, error),
                             figure(error ? row.error->of_allowed : 0, error),
                             name(row.status),
                             row.reason,
                             row.note});
  std::string line;
  for (const std::string& cell : cells) line += quoted(cell) + ",";
  line.back() = '\n';
  return line;
}

}  // namespace

std::string csv(const Results& results) {
  std::vector<std::string> axes;  // in order of appearance
  Results flat = results;         // the points of a sweep are rows like others here
  for (Row& row : flat.rows) {
    row.sweep.clear();
    for (const Axis& axis : row.axes)
      if (std::find(axes.begin(), axes.end(), axis.name) == axes.end()) axes.push_back(axis.name);
  }
  std::string out = "lesson,variant,backend,case";
  for (const std::string& name : axes) out += "," + quoted(name);
  out +=
      ",clock,cache,timer,seconds,speedup,speedup_low,speedup_high,verdict,bytes_per_second,"
      "flops_per_second,flops_per_byte,bound,share_of_roof,goodput,useful_seconds,total_seconds,"
      "worst_error,worst_error_of_allowed,status,reason,note\n";
  for (const SideBySide& c : side_by_side(flat))
    for (const Row* row : c.rows)
      out += csv_line(*row, c.find("baseline"), standing(*row, results.ceilings_of(row->backend)),
                      axes);
  return out;
}

std::string format_ceiling(const std::string& key, double value) {
  const auto text = key == "launch" || key.ends_with("_floor")         ? format_time
                    : key.ends_with("_bytes")                          ? format_bytes
                    : key == "fp32" || key.find("_tensor") != key.npos ? format_flops
                                                                       : format_bytes_per_second;
  return text(value);
}

std::string ceilings_table(const Ceilings& ceilings) {
  Grid grid{{"ceiling", "measured"}, {}};
  for (const auto& [key, value] : ceilings.values)
    grid.body.push_back({key, format_ceiling(key, value)});
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
