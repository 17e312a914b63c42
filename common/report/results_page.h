// All that was measured of a lesson, and the page with all lessons of a chapter on one machine.
#pragma once

#include <string>

#include "model/row.h"
#include "report/table.h"

namespace wb {

// All tables of lessons as text: with headings, what they mean, and the goodput lines.
std::string lesson_report(const Results& results, const Style& style);

// The same of one lesson in Markdown: cases stand together whose tables agree; then machine, date
// and command.
std::string lesson_markdown(const Results& results, const std::string& command);

// A sweep's picture, table and knee; with something `instead_of_table` that and the date. Empty
// when there is no such sweep. `folder`: where the picture lies, as seen from the page.
std::string sweep_report(const Results& results, const std::string& lesson, const std::string& axis,
                         const std::string& machine, const std::string& folder,
                         const std::string& instead_of_table = "");

// `./workbook compare PATH --backend=cuda`, of the run that these rows are of; path: also "all".
std::string compare_command(const Results& part, const std::string& path);

// Every case and sweep of a chapter, each lesson under a heading that links lead to.
std::string results_page(const Results& results, const std::string& chapter,
                         const std::string& machine);

// Names in common/results: "h200_02_gemm_n.svg", "h200_ch1.md",
// "h200_ch1.md#02_gemm".
std::string curve_file(const std::string& lesson, const std::string& axis,
                       const std::string& machine);
std::string page_file(const std::string& path, const std::string& machine);
std::string page_link(const std::string& lesson, const std::string& machine);

}  // namespace wb
