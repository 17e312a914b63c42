#include "driver/judge.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <fstream>
#include <optional>
#include <random>

#include "base/clock.h"
#include "base/failure.h"
#include "base/files.h"
#include "base/launched.h"
#include "base/output.h"
#include "base/process.h"
#include "model/case_text.h"
#include "model/results.h"
#include "report/table.h"

namespace wb::driver {

namespace fs = std::filesystem;

const char* name(Verdict verdict) {
  constexpr std::array names = {"met",     "slow",   "wrong",     "does not compile", "hangs",
                                "crashes", "cheats", "not tried", "cannot grade here"};
  return names.at(static_cast<std::size_t>(verdict));
}

int exit_code(Verdict verdict) {
  switch (verdict) {
    case Verdict::met: return 0;
    case Verdict::hangs:
    case Verdict::crashes: return 4;
    case Verdict::not_here: return 3;
    default: return 1;
  }
}

namespace {

Tested ended(Verdict verdict, const std::string& line) {
  return {.verdict = verdict, .text = line, .reason = line};
}

// Its test program run on an exercise: how it ended, its last line (": ..."), and where GoogleTest
// wrote what it found.
struct TestRun {
  Outcome outcome{};
  std::string last{}, report{}, repeat{};  // how to run it again: " (--seed=17)"
  std::string printed{};                   // first lines of the exercise itself
};

// What there is to say where the tests did not come to their end.
std::optional<Tested> broken_off(const TestRun& run, const std::string& file,
                                 const std::string& test) {
  if (run.outcome.timed_out)
    return ended(Verdict::hangs, file + ": its tests ran past the time limit" + run.repeat);
  if (run.outcome.signal == SIGILL)  // of the lesson's own code: the exercise has its own process
    return ended(Verdict::not_here, test + ": " + how_it_ended(run.outcome, ""));
  if (run.outcome.signal)
    return ended(Verdict::crashes, fmt::format("{}: its tests were ended by signal {}{}", file,
                                               run.outcome.signal, run.last + run.repeat));
  if (!fs::exists(run.report))
    return ended(run.outcome.code == 127 ? Verdict::not_here : Verdict::crashes,
                 file + " could not be tested" + run.last);
  return std::nullopt;
}

// What the tests found wrong.
Tested is_wrong(const TestCounts& counts, const TestRun& run, const std::string& file) {
  constexpr int kShown = 3;
  for (const FailedTest& f : counts.wrong)
    if (f.ended == "no memory")
      return ended(Verdict::not_here, fmt::format("{} cannot be tested here, {}", file, f.problem));
  const std::string cheats = name(Status::cheats);
  for (const FailedTest& f : counts.wrong)
    if (!f.ended.empty() && f.ended != "failed" && f.ended != cheats)
      return ended(f.ended == "hung" ? Verdict::hangs : Verdict::crashes,
                   fmt::format("{} {}, {}{}", file, f.ended, f.problem, run.repeat));
  Tested tested{.verdict = Verdict::wrong};
  tested.text = fmt::format("{} is wrong in {} of {} tests{}\n", file, counts.failed,
                            counts.failed + counts.passed, run.repeat);
  for (std::size_t i = 0; i < counts.wrong.size() && i < kShown; ++i)
    tested.text += fmt::format("  {}\n", counts.wrong[i].problem);
  if (counts.wrong.empty() && !run.last.empty())
    tested.text += fmt::format("  its tests ended with code {}{}\n", run.outcome.code, run.last);
  tested.reason = counts.wrong.empty() ? "its tests ended" + run.last : counts.wrong[0].problem;
  for (const FailedTest& f : counts.wrong)
    if (f.ended == cheats) tested.verdict = Verdict::cheats, tested.reason = f.problem;
  return tested;
}

}  // namespace

Tested test_exercise(const Catalogue& catalogue, const Exercise& e, const RunOptions& options) {
  constexpr int kPrinted = 20, kWidth = 200;  // lines that the exercise prints, their characters
  const fs::path test = catalogue.bin / (e.lesson->program + "_test");
  const fs::path exercise = catalogue.bin / ("exercise_" + e.lesson->program);
  const std::string file = e.file.filename().string();
  for (const fs::path& program : {exercise, test})
    if (!fs::exists(program))
      return ended(Verdict::no_build,
                   fmt::format("{} does not compile: its compiler's message is above",
                               program == exercise ? file : e.lesson->path));
  if (const fs::path other = other_source(catalogue, e); !other.empty())
    return ended(Verdict::cheats, fmt::format("{} takes another source, {}: write your own\n", file,
                                              other.filename().string()));
  const std::uint64_t seed = options.choice.seed ? options.choice.seed : std::random_device{}();
  ::setenv("WB_SEED", std::to_string(seed).c_str(), 1);
  std::vector<std::string> asked = {test.string(), "--exercise=" + exercise.string(),
                                    "--backend=" + e.backend};
  bool at_goals = false;
  for (const Goal& goal : good_goals(e)) {
    if (goal.variant.empty()) continue;
    asked.push_back("--goal=" + text_of(goal.axes));
    at_goals = true;
  }
  const Scratch scratch(options.launcher.empty() ? temporary_folder() : catalogue.build);
  TestRun run{.report = scratch.file("test.json"), .repeat = fmt::format(" (--seed={})", seed)};
  std::vector<std::string> command = split_words(options.launcher);
  command.insert(command.end(), asked.begin(), asked.end());
  command.push_back("--gtest_output=json:" + run.report);
  const std::string own = exercise.filename().string() + ": ";
  int lines = 0;
  run.outcome = run_process(
      command, options.time_limit, [](const std::string&) {},
      [&](const std::string& line) {
        run.last = ": " + line;
        if (line.starts_with(own) && ++lines <= kPrinted)
          run.printed += "  " + clean(line.substr(own.size(), kWidth)) + "\n";
      });
  if (lines > kPrinted) run.printed += fmt::format("  and {} lines more\n", lines - kPrinted);
  const auto with_printed = [&](Tested tested) {
    tested.printed = run.printed;
    return tested;
  };
  if (const auto early = broken_off(run, file, test.filename().string()))
    return with_printed(*early);
  const TestCounts counts = read_test_report(read_file(run.report));
  if (counts.failed > 0 || run.outcome.code != 0) {
    Tested wrong = is_wrong(counts, run, file);
    if (wrong.verdict == Verdict::wrong || wrong.verdict == Verdict::cheats)
      wrong.command = asked, wrong.wrong = counts.wrong;
    return with_printed(wrong);
  }
  if (counts.passed == 0)
    return with_printed(
        ended(Verdict::not_here, file + " cannot run here: all of its tests were skipped"));
  return with_printed(
      {.text = fmt::format("{} is right: {} tests, listed and random sizes{}, new inputs\n", file,
                           counts.passed, at_goals ? ", the goal's own" : ""),
       .command = asked});
}

namespace {

// When it was written to, which nobody can set, and which file it is.
std::string state(const fs::path& file) {
  struct stat s = {};
  if (::stat(file.c_str(), &s)) return "";
  return fmt::format("{} {}.{}", s.st_ino, s.st_ctim.tv_sec, s.st_ctim.tv_nsec);
}

}  // namespace

Yardsticks::Yardsticks(const Catalogue& catalogue, const Exercise& e) : exercise_(e.file) {
  std::vector<fs::path> files = {catalogue.bin / e.lesson->program,
                                 catalogue.bin / (e.lesson->program + "_test")};
  for (const auto& entry : fs::directory_iterator(e.file.parent_path()))
    if (entry.is_regular_file() && entry.path() != e.file) files.push_back(entry.path());
  for (const fs::path& file : files) before_[file] = state(file);
}

void Yardsticks::expect_as_before() const {
  for (const auto& [file, before] : before_)
    if (state(file) != before)
      throw Failure(1, fmt::format("{} was changed while {} ran: bring it back (git checkout), "
                                   "build and check again",
                                   file.string(), exercise_.filename().string()));
}

namespace {

std::string coloured(const std::string& text, bool good) {
  return has_colours(1) ? fmt::format("\033[{}m{}\033[0m", good ? 32 : 31, text) : text;
}

// `who`, in turn with the goal's variant.
Run measure(const Catalogue& catalogue, const Exercise& e, const std::string& who, const Goal& goal,
            const RunOptions& options, const std::string& beside) {
  Selection selection{e.lesson, {goal.variant, who}};
  if (goal.counter) selection.variants.erase(selection.variants.begin());
  if (!beside.empty()) selection.variants.push_back(beside);
  RunOptions own = options;
  own.choice.backend = e.backend;
  own.choice.allow_suspect = true;  // said below
  for (const Axis& axis : goal.axes) own.choice.axes.push_back(text_of(axis));
  Run run = run_lessons(catalogue, {selection}, own, false, [](const Results&) {});
  std::erase_if(run.results.rows, [&](const Row& row) {
    return row.status != Status::crashed && row.status != Status::hung && !goal.at(row.axes);
  });
  return run;
}

// Seconds that this machine's cores worked, but for this program and those that it waited for.
double taken_by_others() {
  std::ifstream file("/proc/stat");  // "cpu  user nice system idle iowait irq softirq steal"
  std::string word;
  double all = 0, ticks = 0;
  file >> word;
  for (int i = 0; i < 8 && file >> ticks; ++i)
    if (i != 3 && i != 4) all += ticks;
  double own = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    struct rusage used = {};
    ::getrusage(who, &used);
    for (const timeval& t : {used.ru_utime, used.ru_stime})
      own += static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  }
  return all / static_cast<double>(::sysconf(_SC_CLK_TCK)) - own;
}

// The rows of one case, ready to judge.
struct Judged {
  const Row *yardstick = nullptr, *own = nullptr;
  report::Comparison comparison{};
  report::Standing stands{};  // of the exercise
  bool clear(double factor) const {
    return !stands.suspect && (comparison.low >= factor || comparison.high < factor);
  }
};
Judged judge(const Results& results, const std::string& who, const Goal& goal) {
  Judged j;
  for (const report::SideBySide& c : report::side_by_side(results)) {
    if (!c.find(who)) continue;
    j = {c.find(goal.variant), c.find(who)};
    if (!j.yardstick) break;
    j.comparison = report::compare(*j.yardstick, *j.own);
    const Ceilings* ceilings = results.ceilings_of(j.own->backend);
    j.stands = report::standing(*j.own, ceilings);
    j.stands.suspect = too_fast(j.stands, report::standing(*j.yardstick, ceilings));
  }
  return j;
}

std::string line_of(const Row& row, const Results& results) {
  const report::Standing s = report::standing(row, results.ceilings_of(row.backend));
  return fmt::format("  {:<22}{:>10}{:>18}{}\n", row.variant, report::format_time(s.seconds),
                     s.over       ? "at its roof"  // which is an estimate
                     : s.roof > 0 ? report::format_roof(s) + " of roof"
                                  : "",
                     row.note.empty() ? "" : "  " + row.note);
}

// Why a row says nothing of the exercise.
Reached without(const Row& why, int code, bool only_own) {
  if (why.status == Status::skipped && !only_own)
    throw Failure(3, why.variant + ": " + report::trouble(why));
  Reached reached;
  reached.reason = why.variant + ": " + report::trouble(why);
  reached.text = "  " + reached.reason + "\n";
  reached.code = why.status == Status::skipped ? 3 : std::max(code, 1);
  reached.verdict = why.status == Status::hung      ? Verdict::hangs
                    : why.status == Status::crashed ? Verdict::crashes
                    : why.status == Status::cheats  ? Verdict::cheats
                                                    : Verdict::wrong;
  return reached;
}

// A goal in counts, which are exact.
Reached judge_count(const Row& row, const Goal& goal, const Results& results) {
  const double count = row.counters.at(static_cast<std::size_t>(*goal.counter));
  Reached reached{.met = goal.at_least ? count >= goal.factor : count <= goal.factor};
  reached.verdict = reached.met ? Verdict::met : Verdict::slow;
  const double share = goal.at_least ? count / goal.factor : goal.factor / count;
  reached.share = reached.met ? 1 : share;
  reached.text = fmt::format("{}: {}: {}\n", results.name_of(row), goal.stand(count),
                             coloured(reached.met ? "met" : "not met", reached.met));
  return reached;
}

}  // namespace

bool too_fast(const report::Standing& own, const report::Standing& yardstick) {
  return own.suspect && !(yardstick.suspect && own.roof <= yardstick.roof);
}

Others::Others() : start_(seconds()), taken_(taken_by_others()) {}

double Others::cores() const {
  return (taken_by_others() - taken_) / std::max(1e-3, seconds() - start_);
}

std::string used_by(double others, double cores) {
  return others > std::max(0.3, 0.1 * cores)
             ? fmt::format("other programs used {:.1f} of its {:.0f} cores", others, cores)
             : "";
}

std::string busy(double others, double cores, const report::Standing& own,
                 const report::Comparison& c) {
  constexpr double kVaried = 2;  // an interval is some per cent wide on a quiet machine
  std::string what = used_by(others, cores);
  if (what.empty() && own.bound == report::Bound::memory && own.delivered < 0.9)
    what = fmt::format("its memory gave {:.0f} % of what it can", 100 * own.delivered);
  if (what.empty() && c.high > kVaried * c.low)
    what = fmt::format("its speed varied by a factor of {:.1f}", c.high / c.low);
  if (what.empty()) return "";
  return fmt::format("The machine was busy: {}. Check again when it is quiet: that decides.", what);
}

Reached reach(const Catalogue& catalogue, const Exercise& e, const std::string& who,
              const Goal& goal, const RunOptions& options, const std::string& beside) {
  const Others others;
  Run run = measure(catalogue, e, who, goal, options, beside);
  if (goal.counter && run.results.rows.size() == 1)
    return only_counts(run.results.rows[0]) ? judge_count(run.results.rows[0], goal, run.results)
                                            : without(run.results.rows[0], run.code, false);
  Judged j = judge(run.results, who, goal);
  Reached reached;
  for (const Row* row : {j.own, j.yardstick}) {
    if (row && has_speed(*row)) continue;
    if (!row && run.results.rows.empty())
      throw Failure(2, fmt::format("{}: its Goal names no case of the lesson", e.file.string()));
    const Row& why = row ? *row : run.results.rows.back();
    const bool only_own = row == j.own && j.yardstick && has_speed(*j.yardstick);
    return without(why, run.code, only_own);
  }
  if (!j.clear(goal.factor)) {
    reached.text = run.results.name_of(*j.own) + ": too close to tell, measured once more\n";
    const Run again = measure(catalogue, e, who, goal, options, beside);
    for (Row& row : run.results.rows)
      for (const Row& more : again.results.rows)
        if (more.variant == row.variant)
          row.samples.insert(row.samples.end(), more.samples.begin(), more.samples.end());
    j = judge(run.results, who, goal);
  }
  reached.machine = run.results.machine;
  const report::Comparison& c = j.comparison;
  const bool suspect = reached.suspect = j.stands.suspect;
  reached.met = c.low >= goal.factor && !suspect;
  reached.verdict = reached.met ? Verdict::met : Verdict::slow;
  reached.roof = j.stands.roof;
  if (suspect) reached.reason = "faster than a ceiling allows, so work is missing";
  reached.text += fmt::format("{}:\n{}{}  {} {}: {}\n", run.results.name_of(*j.own),
                              line_of(*j.yardstick, run.results), line_of(*j.own, run.results),
                              role_of(who) == VariantRole::exercise ? "You are" : "It is",
                              goal.stand(c.ratio, c.low, c.high),
                              coloured(reached.met ? "met"
                                       : suspect   ? reached.reason + ": not met"
                                                   : "not met",
                                       reached.met));
  if (!reached.met && !suspect)
    if (const std::string why =
            busy(options.launcher.empty() ? others.cores() : 0,
                 static_cast<double>(::sysconf(_SC_NPROCESSORS_ONLN)), j.stands, c);
        !why.empty())
      reached.text += "  " + why + "\n";
  reached.share = suspect ? 0 : c.ratio / goal.factor;
  reached.ratio = c.ratio, reached.low = c.low;
  reached.seconds = j.stands.seconds;
  reached.note = j.own->note;
  for (const Row& row : run.results.rows)
    if (row.variant == beside && has_speed(row))
      reached.shipped = report::compare(*j.yardstick, row).ratio;
  return reached;
}

std::vector<Goal> good_goals(const Exercise& e) {
  std::vector<Goal> goals = goals_of(e.file, /*counts=*/e.on->untimed);
  for (const Goal& goal : goals)
    if (!goal.variant.empty() && !e.lesson->has(goal.variant, e.backend))
      throw Failure(2, fmt::format("{}: its Goal names '{}', which is no variant of the lesson",
                                   e.file.string(), goal.variant));
  return goals;
}

}  // namespace wb::driver
