// All that was measured of lessons.
#pragma once

#include <string>

#include "model/row.h"
#include "report/sweep.h"

namespace wb::report {

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
Document measured(const Results& results, const Page& page);

// A sweep's picture, table and knee.
Document sweep_report(const Curve& curve, const Results& results, const Page& page);
// Its picture alone, in a `folder` that ends with "/".
Figure figure(const Curve& curve, const Results& results, const std::string& machine,
              const std::string& folder);

// The roofline of each backend; of a machine's page that of each lesson whose memory was counted,
// too; then each curve. They are named after the machine, if any, or the backend.
std::vector<Figure> figures(const Results& results, const std::string& machine = "");

// `./workbook compare PATH --backend=cuda`, of the run that these rows are of; path: also "all".
std::string compare_command(const Results& part, const std::string& path);

// The heading of a lesson on the page of its chapter: of "ch1_x/02_gemm/small" it is 02_gemm_small.
std::string anchor(const std::string& lesson);

}  // namespace wb::report
