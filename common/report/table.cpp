#include "report/table.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <unordered_map>

#include "base/median.h"
#include "base/process.h"
#include "model/case_name.h"
#include "model/case_text.h"

namespace wb::report {

namespace {

// The notes of a case's rows, each once: "note: baseline, optimized: throttled".
std::string notes(const SideBySide& c, const Results& results) {
  std::vector<std::pair<std::string, std::string>> notes;  // a note, the variants it is about
  const auto note = [&](const std::string& text, const std::string& variant) {
    const auto known =
        std::find_if(notes.begin(), notes.end(), [&](const auto& n) { return n.first == text; });
    if (known == notes.end())
      notes.emplace_back(text, variant);
    else
      known->second += ", " + variant;
  };
  for (const Row* row : c.rows) {
    if (!has_speed(*row)) continue;
    const Standing s = standing(*row, results.ceilings_of(row->backend));
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
           : s.delivered > 1.03
               ? "over 100 %: the memory is faster than when its ceiling was measured "
                 "(./workbook peaks measures it again)"
           : results.ceilings_of(row->backend)->device.accelerator
               ? "over 100 %: a cache may still hold a part of what it wrote"
               : "over 100 %: faster than the code that measured this ceiling, or a cache still "
                 "holds a part of what it wrote",
           row->variant);
  }
  std::string text;
  for (const auto& [what, variants] : notes) text += "note: " + variants + ": " + what + "\n";
  return text;
}

}  // namespace

const Row* SideBySide::find(const std::string& variant) const {
  for (const Row* row : rows)
    if (row->variant == variant) return row;
  return nullptr;
}

const Row* SideBySide::reference() const {
  if (const Row* baseline = find("baseline")) return baseline;
  return rows.front();  // peers come last
}

const Row* SideBySide::best() const {
  const Row *best = find("optimized"), *other = reference();
  if (best && best != other) return best;
  for (const Row* row : rows)
    if (row->peer.empty()) other = row;
  return other;
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
  std::unordered_map<CaseKey, std::size_t, CaseHash> places;
  for (const Row& row : results.rows) {
    if (!row.sweep.empty()) continue;
    const std::size_t place = places.try_emplace(row, all.size()).first->second;
    if (place == all.size()) all.emplace_back();
    all[place].rows.push_back(&row);
  }
  return all;
}

Results only(const Results& results, const std::function<bool(const Row&)>& wanted) {
  Results part{results.machine, results.version, results.ceilings, {}, 0, "", results.about};
  std::copy_if(results.rows.begin(), results.rows.end(), std::back_inserter(part.rows), wanted);
  return part;
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

namespace {

// What some row of a case has, so that all of them show it.
struct Present {
  Counters<bool> counters{};
  bool errors = false, arithmetic = false, tera = false;
  std::optional<Quantity> counts{};
  const Row *baseline = nullptr, *best = nullptr, *peer = nullptr;
};
Present present_in(const SideBySide& c, const Results& results) {
  Present any{.baseline = c.reference(), .best = c.best(), .peer = c.peer()};
  for (const Row* r : c.rows) {
    const Standing s = standing(*r, results.ceilings_of(r->backend));
    for (std::size_t i = 0; i < any.counters.size(); ++i)
      any.counters.at(i) |= r->counters.at(i) > 0;
    any.errors |= r->bound > 0;
    any.arithmetic |= s.bound == Bound::compute;
    any.tera |= s.gflops >= 1000;
    if (!any.counts) any.counts = counted(*r);
  }
  return any;
}

Cell cell_of(const Row& row, std::size_t counter, bool shown) {
  const CounterLook& look = kCounterLooks[counter];
  double value = row.counters.at(counter);
  // The host is done with a launch before the launch is; of medians each may be of other launches.
  if (look.in_time && has_speed(row)) value = std::min(value, median(row.samples));
  return {look.head,
          {.head = shown ? look.head : "", .leaves = 2, .only_page = look.only_page},
          value > 0 ? look.text(value) : "-"};
}

// A figure of CSV; "" where there is none.
std::string raw(const Row& row, double value, bool known = true) {
  return has_speed(row) && known ? fmt::format("{:.6g}", value) : "";
}

template <class Format> std::string told(bool known, Format format, double value) {
  return known ? format(value) : "-";
}

Cell variant_cell(const Row& row) {
  return {"",
          {.head = "variant", .left = true},
          row.variant,
          {{"lesson", row.lesson},
           {"variant", row.variant},
           {"backend", row.backend},
           {"case", label(row.axes)}}};
}

Cell time_cell(const Row& row, const Standing& s) {
  return {"time",
          {.head = "time"},
          format_time(s.seconds),
          {{"clock", row.clock},
           {"cache", row.cache},
           {"timer", row.timer},
           {"seconds", raw(row, s.seconds)}}};
}

Cell speedup_cell(const Row& row, const Present& any) {
  const Row* baseline = any.baseline;
  const bool from_baseline = baseline->variant == "baseline";
  const Comparison speedup = compare(*baseline, row);
  return {"speedup",
          {.head = from_baseline || any.best != baseline ? "vs " + baseline->variant : ""},
          &row == baseline ? "1.00x" : format_ratio(speedup),
          {{"speedup", raw(row, speedup.ratio, from_baseline)},
           {"speedup_low", raw(row, speedup.low, from_baseline)},
           {"speedup_high", raw(row, speedup.high, from_baseline)},
           {"verdict", from_baseline ? speedup.verdict : ""}}};
}

// Last to leave is what the lesson is about: what it counts, or else what bounds it.
std::vector<Cell> rate_cells(const Row& row, const Standing& s, const Present& any) {
  return {{"gbs",
           {.head = "GB/s", .leaves = any.arithmetic ? 3 : 5},
           format_digits(s.gbps),
           {{"bytes_per_second", raw(row, s.gbps * 1e9)}}},
          {"flops",
           {.head = any.tera ? "TFLOP/s" : "GFLOP/s", .leaves = any.arithmetic ? 5 : 3},
           format_digits(any.tera ? s.gflops / 1000 : s.gflops),
           {{"flops_per_second", raw(row, s.gflops * 1e9)}}},
          {"intensity",
           {.head = "FLOP/B", .leaves = 1},
           fmt::format("{:.3g}", s.intensity),
           {{"flops_per_byte", raw(row, s.intensity)}}},
          {"bound",
           {.head = "nearest ceiling", .leaves = 4},
           name(s.bound),
           {{"bound", name(s.bound)}}},
          {"roof",
           {.head = "% of roof"},
           format_roof(s),
           {{"share_of_roof", raw(row, s.roof, s.floor > 0)}}}};
}

Cell goodput_cell(const Row& row) {
  const bool known = row.split.has_value();
  const double share = known ? row.split->compute : 0;
  return {"goodput",
          {.head = "goodput", .only_page = true},
          told(known, format_percent, share),
          {{"goodput", raw(row, share, known)},
           {"useful_seconds", raw(row, useful(row), known)},
           {"total_seconds", raw(row, row.total, known)}}};
}

Cell error_cell(const Row& row, const Present& any) {
  const bool known = row.error.has_value();
  const WorstError error = row.error.value_or(WorstError{});
  return {"error",
          {.head = any.errors ? "error" : ""},
          told(known, format_error, error.relative),
          {{"worst_error", raw(row, error.relative, known)},
           {"worst_error_of_allowed", raw(row, error.of_allowed, known)}}};
}

std::vector<Cell> cells_of(const Row& row, const Results& results, const Present& any) {
  throw_if_interrupted();  // a row's intervals take 0.1 ms, and a file may have 100,000 rows
  const Standing s = standing(row, results.ceilings_of(row.backend));
  std::vector<Cell> cells = {variant_cell(row), time_cell(row, s)};
  for (std::size_t i = 0; i < any.counters.size(); ++i)
    cells.push_back(cell_of(row, i, any.counters.at(i)));
  cells.push_back(speedup_cell(row, any));
  for (Cell& cell : rate_cells(row, s, any)) cells.push_back(std::move(cell));
  cells.push_back(goodput_cell(row));
  const std::optional<Quantity> own = counted(row);
  cells.push_back({"rate",
                   {.head = any.counts ? any.counts->name() : "", .leaves = 6},
                   told(!!own, row.rate ? format_count : format_time, own ? own->of(row, s) : 0)});
  cells.push_back(error_cell(row, any));
  const Row* peer = any.peer;
  cells.push_back({"peer",
                   {.head = peer ? "vs " + peer->variant : "", .leaves = 7},
                   format_peer(peer && peer != &row ? compare(*peer, row) : Comparison{}),
                   {{"status", name(row.status)}, {"reason", row.reason}, {"note", row.note}}});
  return cells;
}

}  // namespace

std::vector<Cell> cells(const SideBySide& c, const Row& row, const Results& results) {
  return cells_of(row, results, present_in(c, results));
}

const Cell& cell(const std::vector<Cell>& cells, const std::string& name) {
  std::vector<std::string> names;
  for (const Cell& cell : cells) {
    if (!name.empty() && cell.name == name) return cell;
    if (!cell.name.empty()) names.push_back(cell.name);
  }
  throw std::runtime_error(
      fmt::format("no column is called {}; there are {}", name, fmt::join(names, ", ")));
}

// What was counted, in place of times.
Table counts_table(const SideBySide& c) {
  Counters<bool> any{};
  for (const Row* row : c.rows)
    for (std::size_t i = 0; i < any.size(); ++i) any.at(i) |= row->counters.at(i) > 0;
  Table table{.columns = {{.head = "variant", .left = true}}};
  for (std::size_t i = 0; i < any.size(); ++i)
    table.columns.push_back(cell_of(c.first(), i, any.at(i)).column);
  for (const Row* row : c.rows) {
    auto& texts = table.rows.emplace_back(std::vector{row->variant});
    for (std::size_t i = 0; only_counts(*row) && i < any.size(); ++i)
      texts.push_back(cell_of(*row, i, any.at(i)).text);
    if (!only_counts(*row)) texts.push_back(trouble(*row));
  }
  return table;
}

// Of each source line that makes requests.
Table lines_table(const SideBySide& c) {
  Table table{{{.head = "variant", .left = true, .leaves = 1},
               {.head = "line", .left = true},
               {.head = "loads"},
               {.head = "sectors"},
               {.head = "stores"},
               {.head = "sectors"},
               {.head = "used"},
               {.head = "shared"},
               {.head = "cycles"},
               {.head = "atomics"},
               {.head = "on one"},
               {.head = "lanes"},
               {.head = "barriers"}}};
  std::vector<bool> any(table.columns.size());
  for (const Row* row : c.rows)
    for (const LineCounts& one : row->lines) {
      const Counts& n = one.counts;
      const auto each = [&](Count part, Count whole) {
        return n[whole] > 0 ? format_digits(n[part] / n[whole]) : "-";
      };
      const auto figure = [](double value, auto format) { return value > 0 ? format(value) : "-"; };
      table.rows.push_back(
          {row->variant, one.line, figure(n[Count::loads], format_count),
           each(Count::load_sectors, Count::loads), figure(n[Count::stores], format_count),
           each(Count::store_sectors, Count::stores),
           figure(n.sectors() ? n[Count::asked] / 32 / n.sectors() : 0, format_percent),
           figure(n[Count::shared], format_count), each(Count::cycles, Count::shared),
           figure(n[Count::atomics], format_count), figure(n[Count::one_address], format_count),
           figure(n.requests() ? n[Count::lanes] / n.requests() : 0, format_digits),
           figure(n[Count::barriers], format_digits)});
      for (std::size_t i = 0; i < any.size(); ++i) any[i] = any[i] || table.rows.back()[i] != "-";
    }
  for (std::size_t i = 2; i < any.size(); ++i)
    if (!any[i]) table.columns[i].head.clear();
  table.notes = "A request is a load or store of a warp; sectors and cycles are of one.\n";
  return table;
}

Table case_table(const SideBySide& c, const Results& results) {
  if (std::ranges::any_of(c.rows, [](const Row* row) { return only_counts(*row); }))
    return counts_table(c);
  Table table{.columns = {}, .rows = {}, .folds = true, .notes = notes(c, results)};
  const Present any = present_in(c, results);
  for (const Cell& cell : cells_of(c.first(), results, any)) table.columns.push_back(cell.column);
  for (const Row* row : c.rows) {
    auto& texts = table.rows.emplace_back();
    if (has_speed(*row))
      for (const Cell& cell : cells_of(*row, results, any)) texts.push_back(cell.text);
    else
      texts = {row->variant, trouble(*row)};
  }
  return table;
}

Table summary_table(const Results& results, Called called, const std::string& to_top) {
  const auto all = side_by_side(results);
  const bool peer = std::any_of(all.begin(), all.end(), [](auto& c) { return c.peer(); });
  const bool greets = called == Called::in_greeting, by_case = called == Called::by_case;
  Table table{{{.head = by_case ? "further case" : "lesson", .left = true},
               {.head = greets ? "question" : "", .left = true},
               {.head = by_case ? "" : "case", .left = true, .leaves = 1},
               {.head = "baseline", .leaves = 2},
               {.head = "optimized", .leaves = 3},
               {.head = "speedup"},
               {.head = greets ? "" : "% of roof"},
               {.head = greets ? "" : "goodput", .only_page = true},
               {.head = peer && !greets ? "vs peer" : "", .leaves = 4}}};
  const auto name = [&](const std::string& lesson, const About& about) {
    const std::string folder = lesson.substr(lesson.find('/') + 1);
    if (about.title.empty() || called == Called::by_path) return lesson;
    if (greets) return fmt::format("[{}]({}{})", about.title, to_top, about.page);
    if (called == Called::by_path_and_title) return lesson + ": " + about.title;
    return folder.substr(0, folder.find_first_not_of("0123456789")) + " " + about.title;
  };
  std::set<std::string> seen, backends;
  for (const Row& row : results.rows) backends.insert(row.backend);
  for (const SideBySide& c : all) {
    const Row& first = c.first();
    const About about = results.about_lesson(first.lesson);
    const std::string key = (by_case ? results.name_of(first) : name(first.lesson, about)) +
                            (backends.size() > 1 ? " " + first.backend : "");
    if (!seen.insert(key).second) continue;
    const Row *baseline = c.find("baseline"), *optimized = c.find("optimized");
    if (!baseline && !optimized) {
      table.rows.push_back({key, trouble(first)});
      continue;
    }
    const auto said = [&](const Row* row, const char* name) {
      return row ? cell(cells(c, *row, results), name).text : "-";
    };
    const auto time = [&](const Row* row) {
      return !row || row->status == Status::ok ? said(row, "time")
             : row->status == Status::skipped  ? "skipped"
                                               : "WRONG";
    };
    std::string speedup = said(baseline ? optimized : nullptr, "speedup");
    if (const auto at = speedup.find(" ["); by_case && at != speedup.npos)
      speedup.erase(at, speedup.find(']') + 1 - at);
    table.rows.push_back(
        {key, about.question, results.name_of(first), time(baseline), time(optimized),
         greets ? short_ratio(speedup) : speedup, said(optimized, "roof"),
         said(baseline, "goodput") + " -> " + said(optimized, "goodput"), said(optimized, "peer")});
  }
  if (seen.size() < all.size() && !greets)
    table.notes = "Lessons with several cases show their first.\n";
  return table;
}

Table raw_table(const Results& results) {
  Results flat = results;         // the points of a sweep are rows like others here
  std::vector<std::string> axes;  // in order of appearance
  for (Row& row : flat.rows) {
    row.sweep.clear();
    for (const Axis& axis : row.axes)
      if (std::find(axes.begin(), axes.end(), axis.name) == axes.end()) axes.push_back(axis.name);
  }
  const bool counted = std::ranges::any_of(flat.rows, [](auto& r) { return r.hardware.any(); });
  Table table;
  for (const SideBySide& c : side_by_side(flat)) {
    const Present any = present_in(c, flat);
    for (const Row* row : c.rows) {
      std::vector<std::pair<std::string, std::string>> figures;
      for (const Cell& cell : cells_of(*row, flat, any)) {
        figures.insert(figures.end(), cell.raw.begin(), cell.raw.end());
        for (const std::string& name : cell.name.empty() ? axes : std::vector<std::string>{})
          figures.emplace_back(name, value_of(row->axes, name));
      }
      for (std::size_t i = 0; counted && i < std::size(kHardware); ++i) {
        const double value = row->hardware.get(static_cast<Hardware>(i));
        figures.emplace_back(kHardware[i], value < 0 ? "" : fmt::format("{:.15g}", value));
      }
      table.columns.clear();
      auto& texts = table.rows.emplace_back();
      for (const auto& [head, text] : figures) {
        table.columns.push_back({.head = head});
        texts.push_back(text);
      }
    }
  }
  return table;
}

Document ceilings_report(const Ceilings& ceilings) {
  Table table{{{.head = "ceiling", .left = true}, {.head = "measured"}}};
  for (const auto& [key, value] : ceilings.values)
    table.rows.push_back({key, format_ceiling(key, value)});
  return {Heading{4, fmt::format("{} ({}), {}", ceilings.device.name, ceilings.device.driver,
                                 ceilings.date)},
          table};
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
  const bool counted = std::ranges::all_of(results.rows, only_counts);
  return fmt::format("{} on {}, {}, with {}.\n", counted ? "Counted" : "Measured",
                     ceilings ? ceilings->device.name : results.machine, days(results), command);
}

}  // namespace wb::report
