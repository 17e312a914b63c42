// check: is the exercise right, and is it fast enough?
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "base/build_info.h"
#include "base/clock.h"
#include "base/failure.h"
#include "base/files.h"
#include "base/output.h"
#include "base/process.h"
#include "driver/judge.h"
#include "driver/progress.h"
#include "driver/sanitizer.h"

namespace wb::driver {

namespace fs = std::filesystem;

namespace {

// What compute-sanitizer finds in the first test that failed.
void show_finding(const Exercise& e, const std::string& launcher, const Tested& tested) {
  std::string name = tested.wrong[0].name;
  std::replace(name.begin(), name.end(), '-', '?');  // what stands behind it is left out
  std::vector<std::string> command = tested.command;
  command.push_back("--gtest_filter=" + name);
  const bool shared = read_file(e.file.string()).find("__shared__") != std::string::npos;
  const std::string finding = sanitize(split_words(launcher), command, shared);
  if (!finding.empty()) put_wrapped("compute-sanitizer: " + finding);
}

// Whether git has it like this; no where git has nothing of it.
bool as_in_git(const Catalogue& catalogue, const Exercise& e) {
  const std::string source = catalogue.source.string(), file = e.file.string();
  return run_process({"git", "-C", source, "ls-files", "--error-unmatch", file}, 60).fine() &&
         run_process({"git", "-C", source, "diff", "--quiet", "HEAD", "--", file}, 60).fine();
}

// A backend of another build that judges the lesson's other exercise without its device.
void name_emulator(const Catalogue& catalogue, const Exercise& e) {
  if (std::ranges::any_of(catalogue.backends, &BuiltBackend::accelerator)) return;
  for (const KnownBackend& b : known_backends())
    if (const fs::path other = fs::path(e.file).replace_extension(b.extension);
        b.traits.untimed && !catalogue.backend(b.name) && fs::exists(other))
      print("Without a GPU, ./workbook check {} --backend={} judges {}\n",
            fs::path(e.lesson->path).filename().string(), b.name, other.filename().string());
}

}  // namespace

int run_check(const Catalogue& catalogue, const RunOptions& options) {
  const Exercise e = exercise_of(catalogue, options.names, options.choice.backend);
  const std::vector<Goal> goals = good_goals(e);
  const std::string name = fs::path(e.lesson->path).filename().string();
  const Yardsticks yardsticks(catalogue, e);
  const Tested tested = test_exercise(catalogue, e, options);
  const bool right = tested.verdict == Verdict::met;
  if (!tested.printed.empty()) print("It printed:\n{}", tested.printed);
  if (tested.verdict == Verdict::no_build || exit_code(tested.verdict) > 1)
    throw Failure(exit_code(tested.verdict), tested.text);
  put_wrapped(tested.text);
  if (e.on->sanitizer && !tested.wrong.empty()) show_finding(e, options.launcher, tested);
  yardsticks.expect_as_before();
  if (!right) return 1;

  if (goals.empty()) {  // they are all of speed
    print("Its goal is a speed, which takes a GPU: the {} has no times.\n", e.on->device);
    if (as_in_git(catalogue, e)) {
      print("It is as git has it, so it does not count yet: ./workbook next {}{} goes on\n", name,
            options.backend_flag());
      return 0;
    }
    change_progress(e.key(), [&](Progress& p) {
      p.met = true, p.solved = static_cast<double>(std::time(nullptr));
    });
    print("Next: ./workbook next{}\n", options.backend_flag());
    return 0;
  }
  bool met = true;
  double least = HUGE_VAL;  // of the speeds over the goals'
  for (const Goal& goal : goals) {
    const Reached r = goal.only_right() ? Reached{.met = true, .share = 1, .code = 0}
                                        : reach(catalogue, e, "exercise", goal, options);
    put_wrapped(r.text);
    if (r.share == 0 && r.code > 1) return r.code;
    met &= r.met;
    least = std::min(least, r.share);
  }
  yardsticks.expect_as_before();
  if (const fs::path read = copied_from(e.file, e.file.parent_path()); met && !read.empty()) {
    print("{} is {}, which counts for nothing: write your own\n", e.file.filename().string(),
          read.filename().string());
    return 1;
  }
  change_progress(e.key(), [&](Progress& p) {
    if (met) p.met = true, p.solved = static_cast<double>(std::time(nullptr));
    if (least > p.best) p.best = least, p.date = today();
  });
  if (met) name_emulator(catalogue, e);
  print("{}{}\n", met ? "Next: ./workbook next" : "Stuck? ./workbook hint " + name,
        options.backend_flag());
  return met ? 0 : 1;
}

int run_goals(const Catalogue& catalogue, const RunOptions& options) {
  const BuiltBackend* named = catalogue.backend(options.choice.backend);
  if (named && named->untimed)
    throw Failure(2, "the " + named->device + " has no times: leave out --goals");
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
        put_wrapped(r.text);
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

}  // namespace wb::driver
