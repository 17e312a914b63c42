// Judging an exercise from outside: is it right, and how fast is it? What check, grade and
// test --goals share; nothing here prints.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "driver/commands.h"
#include "driver/exercise.h"
#include "report/standing.h"

namespace wb::driver {

// met, slow: right, and its goals reached or not.
enum class Verdict { met, slow, wrong, no_build, hangs, crashes, cheats, not_tried, not_here };
const char* name(Verdict verdict);  // "met", "does not compile", "cannot grade here" ...
int exit_code(Verdict verdict);     // of the driver, see README.md

// What the lesson's test says of the exercise, which runs in a process of its own.
struct Tested {
  Verdict verdict = Verdict::met;         // so far: it is right
  std::string text{};                     // lines for people
  std::string reason{};                   // why it is not right, on one line
  std::vector<FailedTest> wrong{};        // as far as the test tells
  std::vector<std::string> command = {};  // that tests it again
  std::string printed{};                  // by the exercise: its first lines, for people
};
Tested test_exercise(const Catalogue& catalogue, const Exercise& e, const RunOptions& options);

// Where `who`, the exercise or its solution, stands against one of its goals. Measured in turn with
// the goal's variant, and `beside`, if any; once more where that is too close to tell. A goal in
// counts is judged by one launch of `who` alone.
struct Reached {
  bool met = false;
  bool suspect = false;  // faster than a ceiling allows
  double roof = 0;       // its speed, of what the nearest ceiling allows
  double share = 0;      // of the goal's speed; 0 for work that is missing
  int code = 1;          // what the driver exits with where it is not met
  Verdict verdict = Verdict::slow;
  std::string text{}, reason{};     // lines for people; why there is no speed, on one
  double ratio = 1, low = 1;        // speed over the variant's: the median, the interval's low end
  double seconds = 0, shipped = 0;  // a launch takes; `beside`'s speed over the variant's
  std::string machine{};            // as results call it
  std::string note{};               // on the exercise's row
};
// Throws Failure: 2 for a goal that names no case, 3 where it can't run here.
Reached reach(const Catalogue& catalogue, const Exercise& e, const std::string& who,
              const Goal& goal, const RunOptions& options, const std::string& beside = "");

// Whether an exercise is faster than a ceiling allows. Where the lesson's own variant is further
// above it, the ceiling was measured on a busy machine and accuses nobody.
bool too_fast(const report::Standing& own, const report::Standing& yardstick);

// How many of this machine's cores other programs used since it was made: all that its cores did,
// but for this program and those that it waited for.
class Others {
 public:
  Others();
  double cores() const;

 private:
  const double start_, taken_;
};
// "other programs used 1.4 of its 2 cores"; "" where that is too little to matter.
std::string used_by(double others, double cores);

// Why a missed goal may be the machine's fault, in one line, or "". `others`: how many of its cores
// other programs used meanwhile; `c`: the exercise's speed, of which `own` is the standing.
std::string busy(double others, double cores, const report::Standing& own,
                 const report::Comparison& c);

// Those of speed, or in counts where there are no times; none if it has no such. Throws Failure (2)
// for a goal that names no variant of the lesson.
std::vector<Goal> good_goals(const Exercise& e);

// What the exercise is judged by, beside itself: the lesson's files and programs.
class Yardsticks {
 public:
  Yardsticks(const Catalogue& catalogue, const Exercise& e);
  // Throws Failure (1) when one is another since then.
  void expect_as_before() const;

 private:
  const std::filesystem::path exercise_;
  std::map<std::filesystem::path, std::string> before_;
};

}  // namespace wb::driver
