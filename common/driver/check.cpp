// check: is the exercise right, and is it fast enough?
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <random>

#include "base/clock.h"
#include "base/failure.h"
#include "base/files.h"
#include "base/output.h"
#include "base/process.h"
#include "driver/commands.h"
#include "driver/exercise.h"
#include "driver/progress.h"
#include "driver/sanitizer.h"
#include "model/results.h"
#include "report/table.h"

namespace wb {

namespace fs = std::filesystem;

namespace {

// What compute-sanitizer finds in a test of an exercise.
void show_finding(const Exercise& e, const std::vector<std::string>& launcher,
                  std::vector<std::string> command, std::string name) {
  std::replace(name.begin(), name.end(), '-', '?');  // what stands behind it is left out
  command.push_back("--gtest_filter=" + name);
  const bool shared = read_file(e.file.string()).find("__shared__") != std::string::npos;
  const std::string finding = sanitize(launcher, command, shared);
  if (!finding.empty()) print("compute-sanitizer: {}\n", finding);
}

// Has the lesson's test judge the exercise, which runs in a process of its own; says what is wrong.
// False when something is. Throws Failure (1) when it was not built, (3) when nothing of it can run
// here, (4) when it crashes or hangs.
bool verify(const Catalogue& catalogue, const Exercise& e, const RunOptions& options) {
  constexpr int kShown = 3;
  const fs::path test = catalogue.bin / (e.lesson->program + "_test");
  const fs::path exercise = catalogue.bin / ("exercise_" + e.lesson->program);
  const std::string file = e.file.filename().string();
  for (const fs::path& program : {exercise, test})
    if (!fs::exists(program))
      throw Failure(1, fmt::format("{} does not compile: what its compiler said is above",
                                   program == exercise ? file : e.lesson->path));
  const std::uint64_t seed = options.choice.seed ? options.choice.seed : std::random_device{}();
  ::setenv("WB_SEED", std::to_string(seed).c_str(), 1);
  const Scratch scratch(options.launcher.empty() ? temporary_folder() : catalogue.build);
  const std::string report = scratch.file("test.json");
  const std::vector<std::string> launcher = split_words(options.launcher);
  const std::vector<std::string> judge = {test.string(), "--exercise=" + exercise.string(),
                                          "--backend=" + e.backend};
  std::vector<std::string> command = launcher;
  command.insert(command.end(), judge.begin(), judge.end());
  command.push_back("--gtest_output=json:" + report);
  std::string last;
  const Outcome outcome = run_process(
      command, options.time_limit, [](const std::string&) {},
      [&](const std::string& line) { last = ": " + line; });
  const std::string repeat = fmt::format(" (--seed={})", seed);
  if (outcome.timed_out) throw Failure(4, file + ": its tests ran past the time limit" + repeat);
  if (outcome.signal)
    throw Failure(4, fmt::format("{}: its tests were ended by signal {}{}", file, outcome.signal,
                                 last + repeat));
  if (!fs::exists(report))
    throw Failure(outcome.code == 127 ? 3 : 4, file + " could not be tested" + last);
  const TestCounts counts = read_test_report(read_file(report));
  const std::vector<FailedTest>& wrong = counts.wrong;
  if (counts.failed == 0 && outcome.code == 0) {
    if (counts.passed == 0)
      throw Failure(3, file + " cannot run here: all of its tests were skipped");
    print("{} is right: {} tests, listed and random sizes, new inputs\n", file, counts.passed);
    return true;
  }
  for (const FailedTest& f : wrong)
    if (!f.ended.empty() && f.ended != "failed")
      throw Failure(4, fmt::format("{} {}, {}{}", file, f.ended, f.problem, repeat));
  print("{} is wrong in {} of {} tests{}\n", file, counts.failed, counts.failed + counts.passed,
        repeat);
  for (std::size_t i = 0; i < wrong.size() && i < kShown; ++i) print("  {}\n", wrong[i].problem);
  if (wrong.empty() && !last.empty())
    print("  its tests ended with code {}{}\n", outcome.code, last);
  if (e.on->sanitizer && !wrong.empty()) show_finding(e, launcher, judge, wrong[0].name);
  return false;
}

// What the exercise is judged by, beside itself: the lesson's files and programs.
class Yardsticks {
 public:
  Yardsticks(const Catalogue& catalogue, const Exercise& e) : exercise_(e.file) {
    std::vector<fs::path> files = {catalogue.bin / e.lesson->program,
                                   catalogue.bin / (e.lesson->program + "_test")};
    for (const auto& entry : fs::directory_iterator(e.file.parent_path()))
      if (entry.is_regular_file() && entry.path() != e.file) files.push_back(entry.path());
    for (const fs::path& file : files) before_[file] = state(file);
  }
  // Throws Failure (1) when one is another since then.
  void expect_as_before() const {
    for (const auto& [file, before] : before_)
      if (state(file) != before)
        throw Failure(1, fmt::format("{} was changed while {} ran: bring it back (git checkout), "
                                     "build and check again",
                                     file.string(), exercise_.filename().string()));
  }

 private:
  // When it was written to, which nobody can set, and which file it is.
  static std::string state(const fs::path& file) {
    struct stat s = {};
    if (::stat(file.c_str(), &s)) return "";
    return fmt::format("{} {}.{}", s.st_ino, s.st_ctim.tv_sec, s.st_ctim.tv_nsec);
  }
  const fs::path exercise_;
  std::map<fs::path, std::string> before_;
};

std::string coloured(const std::string& text, bool good) {
  return has_colours(1) ? fmt::format("\033[{}m{}\033[0m", good ? 32 : 31, text) : text;
}

// `who`, the exercise or its solution, in turn with the goal's variant.
Run measure(const Catalogue& catalogue, const Exercise& e, const std::string& who, const Goal& goal,
            const RunOptions& options) {
  const Selection selection{e.lesson, {goal.variant, who}};
  RunOptions own = options;
  own.choice.backend = e.backend;
  own.choice.allow_suspect = true;  // said below
  for (const Axis& axis : goal.axes)
    own.choice.axes.push_back(
        fmt::format("{}={}", axis.name, axis.word ? axis.word : std::to_string(axis.number)));
  Run run = run_lessons(catalogue, {selection}, own, false, [](const Results&) {});
  std::erase_if(run.results.rows, [&](const Row& row) {
    return row.status != Status::crashed && row.status != Status::hung && !goal.at(row.axes);
  });
  return run;
}

// The rows of one case, ready to judge.
struct Judged {
  const Row *yardstick = nullptr, *own = nullptr;
  Comparison comparison{};
  bool suspect = false;
  bool clear(double factor) const {
    return !suspect && (comparison.low >= factor || comparison.high < factor);
  }
};
Judged judge(const Results& results, const std::string& who, const Goal& goal) {
  Judged j;
  for (const SideBySide& c : side_by_side(results)) {
    if (!c.find(who)) continue;
    j = {c.find(goal.variant), c.find(who)};
    if (!j.yardstick) break;
    j.comparison = compare(*j.yardstick, *j.own);
    j.suspect = standing(*j.own, results.ceilings_of(j.own->backend)).suspect;
  }
  return j;
}

void print_row(const Row& row, const Results& results) {
  const Standing s = standing(row, results.ceilings_of(row.backend));
  print("  {:<22}{:>10}{:>18}{}\n", row.variant, format_time(s.seconds),
        s.roof > 0 ? format_roof(s) + " of roof" : "", row.note.empty() ? "" : "  " + row.note);
}

// Measures against one goal, once more where that is too close to tell, and says where it stands.
struct Reached {
  bool met = false;
  double share = 0;  // of the goal's speed; 0 for work that is missing
  int code = 1;      // what the driver exits with where it is not met
};
Reached reach(const Catalogue& catalogue, const Exercise& e, const std::string& who,
              const Goal& goal, const RunOptions& options) {
  Run run = measure(catalogue, e, who, goal, options);
  Judged j = judge(run.results, who, goal);
  for (const Row* row : {j.own, j.yardstick}) {
    if (row && has_speed(*row)) continue;
    if (!row && run.results.rows.empty())
      throw Failure(2, fmt::format("{}: its Goal names no case of the lesson", e.file.string()));
    const Row& why = row ? *row : run.results.rows.back();
    if (why.status == Status::skipped) throw Failure(3, why.variant + ": " + trouble(why));
    print("  {}: {}\n", why.variant, trouble(why));
    return {false, 0, std::max(run.code, 1)};
  }
  if (!j.clear(goal.factor)) {
    print("{}: too close to tell, measured once more\n", run.results.name_of(*j.own));
    const Run again = measure(catalogue, e, who, goal, options);
    for (Row& row : run.results.rows)
      for (const Row& more : again.results.rows)
        if (more.variant == row.variant)
          row.samples.insert(row.samples.end(), more.samples.begin(), more.samples.end());
    j = judge(run.results, who, goal);
  }
  print("{}:\n", run.results.name_of(*j.own));
  print_row(*j.yardstick, run.results);
  print_row(*j.own, run.results);
  const bool met = j.comparison.low >= goal.factor && !j.suspect;
  print("  {} at {:.3g} [{:.4g}, {:.3g}] {} {}, goal {:g}: {}\n",
        who == "exercise" ? "You are" : "It is", j.comparison.ratio, j.comparison.low,
        j.comparison.high, goal.factor > 1 ? "times" : "of", goal.variant, goal.factor,
        coloured(met         ? "met"
                 : j.suspect ? "faster than a ceiling allows, so work is missing: not met"
                             : "not met",
                 met));
  return {met, j.suspect ? 0 : j.comparison.ratio / goal.factor, 1};
}

// Throws Failure (2) for a goal that names no variant of the lesson.
std::vector<Goal> good_goals(const Exercise& e) {
  std::vector<Goal> goals = goals_of(e.file);
  for (const Goal& goal : goals)
    if (!goal.variant.empty() && !e.lesson->has(goal.variant, e.backend))
      throw Failure(2, fmt::format("{}: its Goal names '{}', which is no variant of the lesson",
                                   e.file.string(), goal.variant));
  return goals;
}

}  // namespace

int run_check(const Catalogue& catalogue, const RunOptions& options) {
  const Exercise e = exercise_of(catalogue, options.names, options.choice.backend);
  const std::vector<Goal> goals = good_goals(e);
  const std::string name = fs::path(e.lesson->path).filename().string();
  const Yardsticks yardsticks(catalogue, e);
  const bool right = verify(catalogue, e, options);
  yardsticks.expect_as_before();
  if (!right) return 1;

  bool met = true;
  double least = HUGE_VAL;  // of the speeds over the goals'
  for (const Goal& goal : goals) {
    const Reached r =
        goal.variant.empty() ? Reached{true, 1, 0} : reach(catalogue, e, "exercise", goal, options);
    if (r.share == 0 && r.code > 1) return r.code;
    met &= r.met;
    least = std::min(least, r.share);
  }
  yardsticks.expect_as_before();
  if (const fs::path read = copied_from(e.file); met && !read.empty()) {
    print("{} is {}, which counts for nothing: write your own\n", e.file.filename().string(),
          read.filename().string());
    return 1;
  }
  change_progress(e.key(), [&](Progress& p) {
    if (met) p.met = true, p.solved = static_cast<double>(std::time(nullptr));
    if (least > p.best) p.best = least, p.date = today();
  });
  print("{}{}\n", met ? "Next: ./workbook next" : "Stuck? ./workbook hint " + name,
        options.backend_flag());
  return met ? 0 : 1;
}

int run_goals(const Catalogue& catalogue, const RunOptions& options) {
  std::vector<std::string> short_of;
  int met = 0, code = 0;
  const std::vector<Selection> chosen = select(catalogue, options.names);
  for (const BuiltBackend& b : catalogue.backends) {
    if (options.choice.backend != "auto" && options.choice.backend != b.name) continue;
    for (const Exercise& e : exercises(catalogue, b.name)) {
      const auto here = [&](const Selection& s) { return s.lesson == e.lesson; };
      if (std::none_of(chosen.begin(), chosen.end(), here)) continue;
      for (const Goal& goal : good_goals(e)) {
        if (goal.variant.empty()) continue;  // the solution's tests are all of it
        const Reached r = reach(catalogue, e, "solution", goal, options);
        met += r.met;
        if (r.met) continue;
        short_of.push_back(e.key());
        code = std::max(code, r.code);
      }
    }
  }
  for (const std::string& key : short_of) print("not met: {}\n", key);
  if (met + short_of.size() == 0)
    print("no goal here is a speed: ./workbook test holds the solutions to the others\n");
  else
    print("{} met by {}, {} not met\n", met == 1 ? "1 goal" : fmt::format("{} goals", met),
          met == 1 ? "its solution" : "their solutions", short_of.size());
  return code;
}

}  // namespace wb
