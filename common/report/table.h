// Tables of a result: as text, Markdown and CSV.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/row.h"
#include "report/standing.h"

namespace wb {

// The rows that belong side by side: same lesson, backend, case and cache mode. Points of a sweep
// are no cases: report/sweep.h has those.
struct SideBySide {
  std::vector<const Row*> rows;
  const Row& first() const { return *rows.front(); }
  const Row* find(const std::string& variant) const;  // null when absent
  const Row* peer() const;                            // the fastest of them; null without --peer
};
std::vector<SideBySide> side_by_side(
    const Results& results);  // in order of appearance; points into `results`

// The same machine, with these rows alone.
Results only(const Results& results, const std::function<bool(const Row&)>& wanted);

// Why a row shows no speed, on one line: "WRONG: y: 3 of 10 wrong ...", "skipped: needs Hopper",
// "FAILED: ...", "CRASHED: ...", "HUNG: ...", "NOT BUILT: ...".
std::string trouble(const Row& row);

// "12.3 us", "4.31 ms", "1.20 s"; "3.94 TB/s"; "51.2 TFLOP/s". Three digits.
std::string format_time(double seconds);
std::string format_bytes_per_second(double rate);
std::string format_bytes(double count);  // "50.0 MiB"
std::string format_flops(double rate);
std::string format_count(double n);             // "12.3 k"
std::string format_error(double relative);      // "1.2e-07"
std::string format_percent(double share);       // 0.918 -> "91.8%"
std::string format_ratio(const Comparison& c);  // "9.13x [9.02, 9.24] faster"
std::string format_roof(const Standing& s);     // "91.8%", "104.0% suspect"
const char* name(Bound bound);

// For whom a table is.
struct Style {
  static constexpr std::size_t kUnlimited = std::string::npos;
  std::size_t width = kUnlimited;  // characters of a line of sentences
  std::size_t table = kUnlimited;  // and of a table: columns leave until it fits
  bool colours = false;
  bool is_markdown = false;
  static const Style text;  // for a file or a pipe: every column, and lines as long as they are
  static const Style markdown;
  static Style screen(bool wide);  // standard output; `wide`: every column
};
inline const Style Style::text{};
inline const Style Style::markdown{.is_markdown = true};

// Variant, time (and the host's part of it, until the launch had returned), against the baseline,
// rates, intensity, bound, % of roof, in Markdown goodput (text has it in lines of its own), and
// what the lesson counts, and where it is about errors the worst one. A wrong or skipped row says
// why and shows no speed. Where columns are not all wanted, one leaves that holds the same in each
// row: it is said once below.
std::string case_table(const SideBySide& c, const Results& results, const Style& style);

// The same as cells, with the notes below; and where a column stands in them by the name that
// markers have for it: time, speedup, roof ... Throws std::runtime_error for a name of none.
struct Grid;
Grid case_grid(const SideBySide& c, const Results& results, std::string& notes);
std::size_t column(const std::string& name);

// A row per lesson and backend: its title, baseline, optimized, speedup, % of roof, in Markdown
// goodput before and after. A lesson with several cases shows its first.
std::string summary_table(const Results& results, const Style& style);

// Every row with raw figures in SI units, a line per row.
std::string csv(const Results& results);

std::string format_ceiling(const std::string& key, double value);
std::string ceilings_table(const Ceilings& ceilings);

// "Measured on NVIDIA H200, 2026-11-20, with ./workbook compare ch1_x": stands under each
// table.
std::string provenance(const Results& results, const std::string& command);

// When its rows were measured: "2026-11-20", or "2026-11-20 to 2026-11-22".
std::string days(const Results& results);

// `goodput=91.8% (useful=4.31 ms total=4.69 ms)`, or why there is none.
std::string goodput(const Row& row);

}  // namespace wb
