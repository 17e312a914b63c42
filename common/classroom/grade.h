// grade: students' trees against the workbook as committed.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "driver/commands.h"

namespace wb::classroom {

struct GradeOptions {
  std::vector<std::string> folders;
  int jobs = 1;  // that build and test side by side, one is measured; with a launcher all of it
  double launcher_limit =
      7200;             // seconds for a file with a launcher, its wait for a machine included
  bool resume = false;  // verdicts of the journal stand where file and commit are the same
  std::string junit, gradescope, pages;
};
// Returns 3 where something could not be graded here, which then has no points and is tried again
// by `resume`; 4 where a launcher lost some; else 0.
int run_grade(const driver::Catalogue& catalogue, const driver::RunOptions& options,
              const GradeOptions& grade);

// A run of grade as --json writes it: "workbook", "commit", "date", "machine", "backend",
// "sandbox", "not_held", "rubric" {points, slow}, "exercises" [{lesson, backend, title, goals}],
// "skipped" [{name, why}], what lay among the students and is not graded, and "rows" [{student,
// lesson, backend, file, verdict, points, of, share, reason, flags, goals [{text, factor, variant,
// ratio, low, shipped, seconds, met, share}], evidence}]. Points and share are null where the
// verdict is "cannot grade here".
using Grades = nlohmann::json;

// The table for the terminal, then what options and grade ask for.
void write_grades(const Grades& grades, const driver::RunOptions& options,
                  const GradeOptions& grade);

}  // namespace wb::classroom
