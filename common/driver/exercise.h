// What a lesson's folder says of its exercise: the goal in the file, questions and hints on the
// page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/catalogue.h"
#include "model/row.h"
#include "wb/axes.h"

namespace wb::driver {

// "// Goal: 0.95 times optimized at dtype=fp32,rows=8192,columns=8192", a line of the exercise's
// first comment: on this case at least 0.95 times as fast as optimized. Where it may be much
// slower,
// "// Goal: at most 2 times as long as optimized at ...". The class of a case, its "size", is left
// out. An exercise with several such lines has to reach all of them. Of a bug hunt "// Goal: right
// at every size". Where a device counts instead of timing, the goals are in counts: "// Goal: at
// most 4.1 sectors_per_request at rows=512,columns=512", or at least, by the names of kCounters.
struct Goal {
  double factor = 0;         // of the variant's speed; in counts the limit
  bool as_long = false;      // it is said as times, not as speeds
  std::string variant = {};  // empty: it is in counts, or being right is all
  Case axes;
  std::optional<Counter> counter = {};
  bool at_least = false;  // of the counter
  bool only_right() const { return variant.empty() && !counter; }
  bool at(const Case& other) const;  // whether that is the goal's case
  // As the page says it: "8192 x 8192, fp32: at least 0.95 times as fast as `optimized`", "...: at
  // most 2 times as long as `optimized`".
  std::string text(const std::vector<std::string>& case_names) const;
  // Where a speed stands, with its interval: "at 0.97 [0.9612, 0.98] of optimized, goal 0.95".
  std::string stand(double ratio, double low, double high) const;
  std::string stand(double count) const;  // "at 4 sectors per request, goal at most 4.1"
};

// Throws Failure (code 2), which names the file and says how it comes back, for a Goal that has
// another form, without any, without a file, and for UTF-16, which no compiler reads. `counts`:
// those in counts instead of those of speed; being right is among both.
std::vector<Goal> goals_of(const std::filesystem::path& exercise, bool counts = false);

// A student's source as the workbook's own files are: UTF-8 without a byte order mark, lines end
// with '\n'. From UTF-8 or UTF-16, line ends of any system; other bytes stay as they are.
std::string as_utf8_lines(std::string bytes);

// A lesson's exercise on a backend.
struct Exercise {
  const Lesson* lesson;
  const BuiltBackend* on;
  std::string backend;                                              // its name, never auto
  std::filesystem::path file;                                       // exercise.cpp, exercise.cu
  std::string key() const { return lesson->path + "/" + backend; }  // in the file of progress
};

// Where CMake has its object made, below the build's folder.
std::string object_of(const Exercise& e);

// Its goals in words; of a file without good ones why.
std::vector<std::string> goal_texts(const Exercise& e, const std::vector<std::string>& case_names);

// All of them, in the book's order, those that were deleted, too: a lesson with a solution has one.
// `backend` auto: for each lesson the best that it has one for.
std::vector<Exercise> exercises(const Catalogue& catalogue, const std::string& backend);

// The one that `names` mean. Throws Failure (code 2) when that are several, or none.
Exercise exercise_of(const Catalogue& catalogue, const std::vector<std::string>& names,
                     const std::string& backend);

// Whether two sources are the same but for comments, blanks and the name that they register.
bool same_code(const std::filesystem::path& a, const std::filesystem::path& b);
// The other variant in a lesson's folder whose code an exercise is; empty where it is no copy. The
// solution may be.
std::filesystem::path copied_from(const std::filesystem::path& exercise,
                                  const std::filesystem::path& lesson);

// The source that a compiler has read beside the exercise, which may take headers alone. `read` is
// what the compiler says: its file of dependencies (-MD), or `ninja -t deps` of it. `own` are the
// names that the exercise itself has there, `folder` is where the compiler ran: ccache makes names
// relative to it. Empty where there is none.
std::filesystem::path other_source(const std::string& read,
                                   const std::vector<std::filesystem::path>& own,
                                   const std::filesystem::path& folder);
// The same of an exercise that is built.
std::filesystem::path other_source(const Catalogue& catalogue, const Exercise& e);

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
