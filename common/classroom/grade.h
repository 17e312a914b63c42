// grade: students' trees against the workbook as committed.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "driver/commands.h"

namespace wb {

struct GradeOptions {
  std::vector<std::string> folders;
  int jobs = 1;  // that build and test side by side, one is measured; with a launcher all of it
  bool resume = false;  // verdicts of the journal stand where file and commit are the same
  std::string junit, gradescope, pages;
};
int run_grade(const Catalogue& catalogue, const RunOptions& options, const GradeOptions& grade);

// A run of grade as --json writes it: "workbook", "commit", "date", "machine", "backend",
// "sandbox", "not_held", "rubric" {points, slow}, "exercises" [{lesson, backend, title, goals,
// points}] and "rows" [{student, lesson, backend, file, verdict, points, of, share, reason, flags,
// goals [{text, factor, variant, ratio, low, shipped, seconds, met, share}], evidence}].
using Grades = nlohmann::json;

// The table for the terminal, then what options and grade ask for.
void write_grades(const Grades& grades, const RunOptions& options, const GradeOptions& grade);

}  // namespace wb
