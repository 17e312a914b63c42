// The table of a lesson's own page: one case, few columns.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/row.h"
#include "report/document.h"

namespace wb::pages {

// What a marker chooses: the values of axes, several of one to stand side by side, and columns.
struct Wanted {
  std::vector<std::pair<std::string, std::vector<std::string>>> axes;
  std::vector<std::string> columns = {"time", "speedup", "roof"};
  std::vector<std::string> without;  // variants, where a ladder has more than a page can show
};

// The first case of the lesson that has these values, on the variants that show the lesson's idea:
// not the exercise and its solution, nor what can't run. For several values the first cases that
// differ in that axis alone. Below it the case's name, and when it was measured. Unclear speedups
// show their interval. Throws std::runtime_error when there is no such case, column or variant.
report::Table small_table(const Results& results, const std::string& lesson, const Wanted& wanted);

}  // namespace wb::pages
