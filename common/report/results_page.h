// All that was measured of a lesson, and the page with all lessons of a chapter on one machine.
#pragma once

#include <string>

#include "model/row.h"
#include "report/sweep.h"

namespace wb {

// Where a document stands: on the screen, or on a page, with links and pictures if that is stored.
struct Page {
  bool screen = false;
  std::string machine{};  // the stem of these results
  std::string folder{};   // where the pictures lie, as seen from the page
  std::string command{};  // that measured all of it; empty: each part names its own
  std::string below{};    // these lessons alone: "ch1_x/"
};

// All that was measured, lesson by lesson: what it is called and asks, each case's table and what
// that means, the sweeps. The screen has goodput in lines of its own; on a page cases stand
// together whose tables agree, and machine, date and command behind them. Pictures are drawn of
// `results`, which have to be there until then; so it is below.
Document report(const Results& results, const Page& page);

// A sweep's picture, table and knee; with something `instead_of_table` that and the date.
Document sweep_report(const Curve& curve, const Results& results, const Page& page,
                      const std::string& instead_of_table = "");

// Every case and sweep of a chapter, each lesson under a heading that links lead to.
Document results_page(const Results& results, const std::string& chapter,
                      const std::string& machine);

// The roofline of each backend, then each curve, named after the machine, if any, or the backend.
std::vector<Figure> figures(const Results& results, const std::string& machine = "");

// `./workbook compare PATH --backend=cuda`, of the run that these rows are of; path: also "all".
std::string compare_command(const Results& part, const std::string& path);

// Names in common/results: "h200_ch1.md", "h200_ch1.md#02_gemm".
std::string page_file(const std::string& path, const std::string& machine);
std::string page_link(const std::string& lesson, const std::string& machine);

}  // namespace wb
