// Rows that belong side by side, and the tables of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/row.h"
#include "report/document.h"
#include "report/quantity.h"

namespace wb::report {

// The rows that belong side by side: same lesson, backend, case and cache mode. Points of a sweep
// are no cases: report/sweep.h has those.
struct SideBySide {
  std::vector<const Row*> rows;
  const Row& first() const { return *rows.front(); }
  const Row* find(const std::string& variant) const;  // null when absent
  // What the others are compared with, and what a sentence and the picture compare with it:
  // baseline and optimized, or the first and the last that is here and no peer's. The same where
  // only one is.
  const Row* reference() const;
  const Row* best() const;
  const Row* peer() const;  // the fastest of them; null without --peer
};
std::vector<SideBySide> side_by_side(
    const Results& results);  // in order of appearance; points into `results`

// The same machine, with these rows alone.
Results only(const Results& results, const std::function<bool(const Row&)>& wanted);

// Why a row shows no speed, on one line: "WRONG: y: 3 of 10 wrong ...", "skipped: needs Hopper",
// "FAILED: ...", "CRASHED: ...", "HUNG: ...", "NOT BUILT: ...".
std::string trouble(const Row& row);

// What the columns of a table say of a row, one after the other: variant, time (and the host's part
// of it, until the launch had returned), against the baseline, rates, intensity, bound, % of roof,
// goodput, what the lesson counts, where it is about errors the worst one, and against a peer.
struct Cell {
  std::string name;  // that markers have for the column: time, speedup, roof ...
  Column column;     // without a head where the case has no such thing
  std::string text;
  std::vector<std::pair<std::string, std::string>> raw{};  // head and text of CSV, in SI units
};
std::vector<Cell> cells(const SideBySide& c, const Row& row, const Results& results);
const Cell& cell(const std::vector<Cell>& cells, const std::string& name);  // or std::runtime_error

// A wrong or skipped row says why and shows no speed.
Table case_table(const SideBySide& c, const Results& results);

// Of rows that only count: a row for each source line that makes requests.
Table lines_table(const SideBySide& c);

// A row per lesson and backend: what it is called, baseline, optimized, speedup, % of roof, goodput
// before and after; a greeting links to the lessons, `to_top` away, and has their questions. A
// lesson with several cases shows its first. By case: all of them, of one lesson.
enum class Called { by_path, by_path_and_title, by_title, in_greeting, by_case };
Table summary_table(const Results& results, Called called, const std::string& to_top = "");

// Every row with raw figures in SI units, a line per row.
Table raw_table(const Results& results);

Document ceilings_report(const Ceilings& ceilings);

// "Measured on NVIDIA H200, 2026-11-20, with ./workbook compare ch1_x": stands under each
// table. "Counted on ..." where no row has a time.
std::string provenance(const Results& results, const std::string& command);

// When its rows were measured: "2026-11-20", or "2026-11-20 to 2026-11-22".
std::string days(const Results& results);

}  // namespace wb::report
