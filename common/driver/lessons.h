// Running lesson programs one after another and merging what they wrote.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "driver/catalogue.h"
#include "model/choice.h"
#include "model/row.h"
#include "model/trace_file.h"

namespace wb::driver {

struct RunOptions {
  Choice choice;                   // handed on to the lesson programs
  std::vector<std::string> names;  // lessons, chapters, or files of results
  std::string launcher;            // in front of each lesson program: srun --gres=gpu:1
  int jobs = 1;                    // `compare` with a launcher: lesson programs at once
  bool resume = false;             // `compare`: what `json` or its .partial has is not measured
  double time_limit = 600;         // seconds a lesson program
  bool goals = false;              // `test`: the solutions' speeds, not their answers
  bool all_cases = false;          // `compare`: all of them in full
  std::string json, csv, markdown, html, svg, png;
  std::string save, against;      // `compare`: names of kept runs, or `against` a file
  double threshold = 3;           // `against`: what is no difference, in percent
  bool any_machine = false;       // `against`: the other one's, too
  std::vector<std::string> rest;  // what another program reads: `tune`, `grade`

  // As it was given, for command lines that follow: " --backend=cpu".
  std::string backend_flag() const {
    return choice.backend == "auto" ? "" : " --backend=" + choice.backend;
  }
  bool has_outputs() const { return !(save + json + csv + markdown + html + svg + png).empty(); }
  // Nothing chosen: every lesson, its first case and fewer samples, so that it takes minutes.
  bool survey() const { return names.empty() && choice.any_case(); }
  bool only_first() const { return choice.first || survey(); }
};

struct Run {
  Results results;
  std::vector<TracedRow> traces;
  int code = 0;  // what the driver will exit with
};

// The lessons that `names` mean; with --op those of them whose headers speak of that operation.
// Throws Failure with code 2 where none is left.
std::vector<Selection> select(const Catalogue& catalogue, const RunOptions& options);

// The words in front of a lesson program, then the program and the flags that every one takes.
std::vector<std::string> lesson_command(const Catalogue& catalogue, const Selection& selection,
                                        const RunOptions& options);

// The targets of the build that a lesson to be measured needs.
std::vector<std::string> targets_of(const Selection& selection);
// Whether run_lessons() has lessons built when it comes to them: so ./workbook says, which builds
// the first before it starts this program. Not with a launcher, for then they may run at once,
// elsewhere.
bool builds_as_it_goes(const RunOptions& options);

// A lesson that crashes, hangs or writes nonsense leaves a row that says so, and the rest goes on.
// One whose machine, or time there, a launcher lost is started again, at most twice.
// `on_lesson` gets each lesson's own results as they come; `on_case`, which several threads call,
// those of a lesson that still runs, with each case that is complete. Throws Failure when nothing
// could run (2 bad usage, 3 can't run here) and after an interrupt (130); files of a run never
// outlive it.
Run run_lessons(const Catalogue& catalogue, const std::vector<Selection>& selections,
                const RunOptions& options, bool with_traces,
                const std::function<void(const Results&)>& on_lesson,
                const std::function<void(const Results&)>& on_case = {});

}  // namespace wb::driver
