// What a lesson's page asks a student, and what it tells them when they ask.
#pragma once

#include <string>
#include <vector>

#include "driver/exercise.h"

namespace wb::driver {

// Of a page, without markup, for a device: the folded hints; the questions under Predict, and the
// folded answers, which begin with their title. A CPU's question is the bold one under "On a CPU",
// and its answer the paragraph behind the table there; where there is none, Predict is for both.
std::vector<std::string> hints(const std::string& page, const std::string& device);
std::vector<std::string> questions(const std::string& page, const std::string& device);
std::vector<std::string> answers(const std::string& page, const std::string& device);
// A question that a stored report answers, so that what a student says is checked. `pattern` (see
// base/pattern.h) finds a right answer in lower case, `because` explains it.
struct ReportQuestion {
  std::string question, pattern, because;
};
// Those of the lesson, from its report_questions.cu.json or report_questions.cpp.json, an array of
// such objects; empty without one. Throws Failure (code 5) for a file that is damaged.
std::vector<ReportQuestion> report_questions(const Exercise& e);
bool is_right(const ReportQuestion& q, std::string said);
// The page as it is, but for its folded hints.
std::string without_hints(std::string page);

}  // namespace wb::driver
