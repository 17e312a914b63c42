// check: is the exercise right, and is it fast enough?
#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "base/clock.h"
#include "base/failure.h"
#include "base/files.h"
#include "base/json.h"
#include "base/output.h"
#include "base/process.h"
#include "driver/commands.h"
#include "driver/exercise.h"
#include "driver/progress.h"
#include "model/results.h"
#include "report/table.h"

namespace wb {

namespace fs = std::filesystem;

namespace {

// What GoogleTest says of a check that failed, as "rows=31: y: 3 of 10 wrong, first ...". Its lines
// came as one, with blanks between them.
std::string complaint(const std::string& failure) {
  const auto between = [&](const std::string& begin, const std::string& end) -> std::string {
    const std::size_t at = failure.find(begin);
    if (at == std::string::npos) return "";
    const std::size_t from = at + begin.size();
    return failure.substr(from, failure.find(end, from) - from);
  };
  std::string axes = between("Google Test trace: ", ", WB_SEED=");
  axes.erase(0, axes.rfind(": ") == std::string::npos ? 0 : axes.rfind(": ") + 2);
  const std::string why = between("Which is: \"", "\"   \"");
  return (axes.empty() ? "" : axes + ": ") + (why.empty() ? failure : why);
}

// Runs the exercise's test; says what is wrong. False when something is. Throws Failure (1) when
// it was not built, (4) when it crashes or hangs.
bool verify(const Catalogue& catalogue, const Exercise& e, const RunOptions& options) {
  constexpr int kShown = 3;
  const fs::path test = catalogue.bin / ("exercise_" + e.lesson->program + "_test");
  const std::string file = e.file.filename().string();
  if (!fs::exists(test))
    throw Failure(1, file + " does not compile: what its compiler said is above");
  const std::uint64_t seed = options.choice.seed ? options.choice.seed : std::random_device{}();
  ::setenv("WB_SEED", std::to_string(seed).c_str(), 1);
  const Scratch scratch(options.launcher.empty() ? fs::temp_directory_path() : catalogue.build);
  const std::string report = scratch.file("test.json");
  std::vector<std::string> command = split_words(options.launcher);
  command.insert(command.end(), {test.string(), "--gtest_filter=*exercise/" + e.backend + "/*",
                                 "--gtest_output=json:" + report});
  std::string running, last;
  const Outcome outcome = run_process(
      command, options.time_limit,
      [&](const std::string& line) {
        const std::string begin = "[ RUN      ] " + e.lesson->path + ".";
        if (line.starts_with(begin)) running = " in " + line.substr(begin.size());
      },
      [&](const std::string& line) { last = ": " + line; });
  const std::string repeat = fmt::format(" (--seed={})", seed);
  if (outcome.timed_out || outcome.signal)
    throw Failure(4, file + running +
                         (outcome.timed_out ? " ran past the time limit" : " crashed" + last) +
                         repeat);
  if (!fs::exists(report))
    throw Failure(outcome.code == 127 ? 3 : 4, file + " could not be tested" + last);
  std::string text = read_file(report);
  for (char& c : text)
    if (c & 0x80) c = '?';  // a message may hold bytes that are no UTF-8
  const TestCounts counts = read_test_report(text);
  std::vector<std::string> wrong;
  const nlohmann::json json = parse_json(text);
  for (const auto& suite : json.at("testsuites"))
    for (const auto& one : suite.at("testsuite"))
      if (one.contains("failures"))
        wrong.push_back(complaint(one.at("failures").at(0).at("failure").get<std::string>()));
  if (counts.failed == 0 && outcome.code == 0) {
    if (counts.passed > 0)
      print("{} is right: {} tests, listed and random sizes, new inputs\n", file, counts.passed);
    return true;
  }
  print("{} is wrong in {} of {} tests{}\n", file, counts.failed, counts.failed + counts.passed,
        repeat);
  for (std::size_t i = 0; i < wrong.size() && i < kShown; ++i) print("  {}\n", wrong[i]);
  return false;
}

std::string coloured(const std::string& text, bool good) {
  return has_colours(1) ? fmt::format("\033[{}m{}\033[0m", good ? 32 : 31, text) : text;
}

// The exercise beside baseline, optimized and the goal's variant, all in turn.
Run measure(const Catalogue& catalogue, const Exercise& e, const Goal& goal,
            const RunOptions& options) {
  Selection selection{e.lesson, {}};
  for (const std::string& v : std::set<std::string>{"baseline", "optimized", goal.variant})
    if (e.lesson->has(v, e.backend)) selection.variants.push_back(v);
  selection.variants.push_back("exercise");
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
  const Row *baseline = nullptr, *optimized = nullptr, *yardstick = nullptr, *exercise = nullptr;
  Comparison comparison{};
  bool suspect = false;
  bool clear(double factor) const {
    return !suspect && (comparison.low >= factor || comparison.high < factor);
  }
};
Judged judge(const Results& results, const Goal& goal) {
  Judged j;
  for (const SideBySide& c : side_by_side(results)) {
    if (!c.find("exercise")) continue;
    j = {c.find("baseline"), c.find("optimized"), c.find(goal.variant), c.find("exercise")};
    if (!j.yardstick) break;
    j.comparison = compare(*j.yardstick, *j.exercise);
    j.suspect = standing(*j.exercise, results.ceilings_of(j.exercise->backend)).suspect;
  }
  return j;
}

void print_rows(const Judged& j, const Results& results) {
  std::set<const Row*> seen = {nullptr};
  for (const Row* row : {j.baseline, j.optimized, j.yardstick, j.exercise}) {
    if (!seen.insert(row).second) continue;
    const Standing s = standing(*row, results.ceilings_of(row->backend));
    print("  {:<22}{:>10}{:>18}{}\n", row->variant, has_speed(*row) ? format_time(s.seconds) : "-",
          s.roof > 0 ? format_roof(s) + " of roof" : "", row->note.empty() ? "" : "  " + row->note);
  }
  if (!j.baseline || !j.optimized || !has_speed(*j.baseline) || !has_speed(*j.optimized)) return;
  const auto seconds = [](const Row* row) { return standing(*row, nullptr).seconds; };
  const double slow = seconds(j.baseline), fast = seconds(j.optimized);
  if (fast < 0.97 * slow)
    print("  {:.0f}% of the gap between baseline and optimized closed\n",
          100 * (slow - seconds(j.exercise)) / (slow - fast));
}

}  // namespace

int run_check(const Catalogue& catalogue, const RunOptions& options) {
  const Exercise e = exercise_of(catalogue, options.names, options.choice.backend);
  const std::vector<Goal> goals = goals_of(e.file);
  const std::string name = fs::path(e.lesson->path).filename().string();
  for (const Goal& goal : goals)
    if (!goal.variant.empty() && !e.lesson->has(goal.variant, e.backend))
      throw Failure(2, fmt::format("{}: its Goal names '{}', which is no variant of the lesson",
                                   e.file.string(), goal.variant));
  if (!verify(catalogue, e, options)) return 1;

  bool met = true;
  double least = HUGE_VAL;  // of the speeds over the goals'
  for (const Goal& goal : goals) {
    if (goal.variant.empty()) {
      least = std::min(least, 1.0);
      continue;
    }
    Run run = measure(catalogue, e, goal, options);
    Judged j = judge(run.results, goal);
    for (const Row* row : {j.exercise, j.yardstick}) {
      if (row && has_speed(*row)) continue;
      if (!row && run.results.rows.empty())
        throw Failure(2, fmt::format("{}: its Goal names no case of the lesson", e.file.string()));
      const Row& why = row ? *row : run.results.rows.back();
      if (why.status == Status::skipped) throw Failure(3, why.variant + ": " + trouble(why));
      print("  {}: {}\n", why.variant, trouble(why));
      return std::max(run.code, 1);
    }
    if (!j.clear(goal.factor)) {
      print("{}: too close to tell, measured once more\n", run.results.name_of(*j.exercise));
      const Run again = measure(catalogue, e, goal, options);
      for (Row& row : run.results.rows)
        for (const Row& more : again.results.rows)
          if (more.variant == row.variant)
            row.samples.insert(row.samples.end(), more.samples.begin(), more.samples.end());
      j = judge(run.results, goal);
    }
    print("{}:\n", run.results.name_of(*j.exercise));
    print_rows(j, run.results);
    const bool here = j.comparison.low >= goal.factor && !j.suspect;
    print("  You are at {:.3g} [{:.3g}, {:.3g}] {} {}, the goal is {:g}: {}\n", j.comparison.ratio,
          j.comparison.low, j.comparison.high, goal.factor > 1 ? "times" : "of", goal.variant,
          goal.factor,
          coloured(here        ? "met"
                   : j.suspect ? "faster than a ceiling allows, so work is missing: not met"
                               : "not met",
                   here));
    met &= here;
    least = std::min(least, j.suspect ? 0 : j.comparison.ratio / goal.factor);
  }
  change_progress(e.key(), [&](Progress& p) {
    p.met |= met;
    if (least > p.best) p.best = least, p.date = today();
  });
  print("{}\n", met ? "Next: ./workbook next" : "Stuck? ./workbook hint " + name);
  return met ? 0 : 1;
}

}  // namespace wb
