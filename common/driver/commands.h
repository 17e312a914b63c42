// The commands of ./workbook, one function each. They return the driver's exit code, or throw
// Failure (base/failure.h).
#pragma once

#include <string>
#include <vector>

#include "driver/catalogue.h"
#include "driver/lessons.h"

namespace wb::driver {

// The targets of the build that a command needs, the driver aside; for `test` with no names two
// that stand for many, "tests" and "exercises". Throws Failure for names that mean nothing.
std::vector<std::string> targets(const Catalogue& catalogue, const std::string& command,
                                 const RunOptions& options);

int run_list(const Catalogue& catalogue, const RunOptions& options);

// Tables of the lessons as they come. `compare` has a line for a case that is not a lesson's first,
// and adds the summary and the roofline at the end.
int run_compare(const Catalogue& catalogue, const RunOptions& options, bool summary,
                const std::string& command_line);

int run_roofline(const Catalogue& catalogue, const RunOptions& options,
                 const std::string& command_line);

// `trace_file`: for the records in Chrome's trace format, or empty.
int run_timeline(const Catalogue& catalogue, const RunOptions& options,
                 const std::string& trace_file);

// Draws the requests of variants on the backend that counts: the one at `line` ("42",
// "optimized.cu:42"), or with none the one that takes the most sectors or cycles of what it could.
int run_access(const Catalogue& catalogue, const RunOptions& options, const std::string& line);

int run_peaks(const Catalogue& catalogue, const RunOptions& options);

// A test that failed, what is wrong, and "crashed" or "hung" where that was the end.
struct FailedTest {
  std::string name, problem, ended;
};
struct TestCounts {
  int passed = 0, failed = 0, skipped = 0;
  std::vector<FailedTest> wrong{};  // as far as reports tell
};
// From what GoogleTest wrote for --gtest_output=json. Throws when that is not whole.
TestCounts read_test_report(std::string text);
// Runs them side by side; one that did not report what it found has failed.
int run_tests(const Catalogue& catalogue, const RunOptions& options);

// `test --goals`: measures the solutions as `check` does exercises. For a quiet machine, since
// other than the tests it looks at the time. The exit code: 0 all met, 1 some not.
int run_goals(const Catalogue& catalogue, const RunOptions& options);

// The student's loop. Each takes one lesson, but run_progress none and run_next at most one.
//
// check: builds nothing; verifies the exercise, measures it beside what its goal names, says
// whether that is met. The exit code: 0 met, 1 wrong or not met.
int run_check(const Catalogue& catalogue, const RunOptions& options);
int run_watch(const Catalogue& catalogue, const RunOptions& options);  // check after each save
int run_hint(const Catalogue& catalogue, const RunOptions& options);   // one more each time
// The exercise behind the named one; with none named the next from the one that was solved last
// whose goal was not met.
int run_next(const Catalogue& catalogue, const RunOptions& options);
int run_progress(const Catalogue& catalogue, const RunOptions& options);
int run_reset(const Catalogue& catalogue, const RunOptions& options);    // as git has it
int run_predict(const Catalogue& catalogue, const RunOptions& options);  // asks, or shows answers

// These hand over to another program, which takes the place of this one. list_pages: ./workbook
// lists all lessons, with or without a build.
[[noreturn]] void list_pages(const Catalogue& catalogue);
// tune: of a lesson, it
// searches for the fastest configuration.
int run_tune(const Catalogue& catalogue, const RunOptions& options);
// The lesson that is meant. Throws Failure, code 2, for one that has nothing to tune.
const Lesson& tuned_lesson(const Catalogue& catalogue, const RunOptions& options);
bool asks_for_help(const RunOptions& options);  // tune --help, without a lesson
// export, grade and report: `options.rest` has the command and what follows it.
int run_program(const Catalogue& catalogue, const char* program, const RunOptions& options);

}  // namespace wb::driver
