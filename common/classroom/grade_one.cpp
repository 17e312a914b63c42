#include "classroom/grade_one.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "base/failure.h"
#include "base/files.h"
#include "base/json.h"
#include "base/launched.h"
#include "base/output.h"
#include "base/pattern.h"
#include "base/process.h"
#include "classroom/rubric.h"
#include "model/case_text.h"
#include "report/about.h"

namespace wb::classroom {

namespace fs = std::filesystem;
using nlohmann::json;

json verdict(driver::Verdict v, const std::string& reason, const std::string& evidence) {
  json lines = json::array();
  std::istringstream text(evidence.substr(0, 8000));
  for (std::string line; std::getline(text, line) && lines.size() < 60;) lines.push_back(line);
  return {{"verdict", name(v)}, {"reason", reason.substr(0, 300)}, {"evidence", lines}};
}

namespace {

bool bug_hunt(const driver::Exercise& e) {
  return read_file(e.file.string()).starts_with("// Bug hunt:");
}
json changed(const driver::Yardsticks& yardsticks) {
  try {
    yardsticks.expect_as_before();
  } catch (const Failure& why) {
    return verdict(driver::Verdict::cheats, why.what());
  }
  return nullptr;
}

// One of a GPU's places, held until it is destroyed or its process ends. Where more tests share a
// GPU, each takes so long that a right one is over its time limit.
class GpuSlot {
 public:
  explicit GpuSlot(const fs::path& folder) {
    for (int i = 0;; i = (i + 1) % kAtOnce) {
      file_ =
          ::open((folder / fmt::format("gpu-{}", i)).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
      if (file_ < 0) throw Failure(5, "cannot write in " + folder.string());
      if (::flock(file_, LOCK_EX | LOCK_NB) == 0) return;
      ::close(file_);
      throw_if_interrupted();
      ::usleep(20000);
    }
  }
  GpuSlot(const GpuSlot&) = delete;
  GpuSlot& operator=(const GpuSlot&) = delete;
  ~GpuSlot() { ::close(file_); }

 private:
  static constexpr int kAtOnce = 4;
  int file_ = -1;
};

}  // namespace

// The lesson's programs, and one in the place of the official exercise.
driver::Catalogue Grading::with_programs_of(const fs::path& place) const {
  driver::Catalogue catalogue = official_.catalogue();
  catalogue.bin = place / "bin";
  return catalogue;
}

fs::path Grading::probe(const driver::Exercise& e) const {
  return probes_ / ("probe-" + e.lesson->program + "-" + e.backend);
}

// The exercise as shipped; of a bug hunt, which is wrong as shipped, its solution.
std::string Grading::compile_known(const driver::Exercise& e, const fs::path& place) const {
  const bool hunt = bug_hunt(e);
  const fs::path solution = e.file.parent_path() / ("solution" + e.on->extension);
  const fs::path source = place / e.file.filename();
  fs::create_directories(place);
  write_atomically(source.string(),
                   hunt ? replace_pattern(read_file(solution.string()),
                                          R"((\nWB_[A-Z]+\(\w+, )solution,)", "$1exercise,")
                        : read_file(e.file.string()));
  const std::string said = sandbox_.compile(e, source, place, compile_limit());
  if (said.empty()) return "";
  return fmt::format("the {} does not compile: {}", hunt ? "solution" : "exercise as shipped",
                     first_error(said));
}

std::string Grading::test_known(const driver::Exercise& e) const {
  if (!fs::exists(probe(e) / "bin" / ("exercise_" + e.lesson->program)))
    if (std::string why = compile_known(e, probe(e)); !why.empty()) return why;
  const driver::Tested tested = run_tests(with_programs_of(probe(e)), e);
  if (tested.verdict == driver::Verdict::met) return "";
  return fmt::format("the {} fails: {}", bug_hunt(e) ? "solution" : "exercise as shipped",
                     tested.reason);
}

driver::Tested Grading::run_tests(const driver::Catalogue& programs,
                                  const driver::Exercise& e) const {
  std::optional<GpuSlot> place;
  if (e.on->accelerator) place.emplace(probes_);
  const Scratch scratch;  // where the tests' report goes: says so where there is no room
  write_atomically(scratch.file("room"), std::string(1 << 16, ' '));
  return driver::test_exercise(programs, e, options_);
}

// In the lesson's own program, which holds all arrays.
std::string Grading::measure_known(const driver::Exercise& e) const {
  for (const driver::Goal& goal : driver::good_goals(e)) {
    if (goal.variant.empty()) continue;
    const driver::Reached r = driver::reach(official_.catalogue(), e,
                                            bug_hunt(e) ? "solution" : "shipped", goal, options_);
    if (r.verdict != driver::Verdict::met && r.verdict != driver::Verdict::slow) return r.reason;
  }
  return "";
}

json Grading::test(const Task& task) const {
  const driver::Exercise& e = task.submission.exercise;
  json found = tested(task);
  std::string why;
  if (found["verdict"] == name(driver::Verdict::no_build))
    why = compile_known(e, task.place / "known");
  else if (found["verdict"] != "right" && found["verdict"] != name(driver::Verdict::cheats))
    why = test_known(e);
  return why.empty() ? found : verdict(driver::Verdict::not_here, why);
}

json Grading::measure(const Task& task) const {
  const driver::Exercise& e = task.submission.exercise;
  if (!fs::exists(task.place / "bin" / ("exercise_" + e.lesson->program)))  // of a killed run
    if (json again = test(task); again["verdict"] != "right") return again;
  json found = measured(task);
  if (found.contains("points") || found["verdict"] == name(driver::Verdict::cheats)) return found;
  std::string why = test_known(e);
  if (why.empty()) why = measure_known(e);
  return why.empty() ? found : verdict(driver::Verdict::not_here, why);
}

// Whether it is right.
json Grading::tested(const Task& task) const {
  const Submission& s = task.submission;
  if (s.text.find("exercise") == std::string::npos)
    return verdict(driver::Verdict::no_build,
                   "it registers no exercise: see the last line as shipped");
  if (s.text.find('\0') != std::string::npos)  // a compiler may leave it out, and a reader too
    return verdict(driver::Verdict::no_build, "contains a zero byte: save it as text in UTF-8");
  const bool new_code = !driver::same_code(task.source, s.exercise.file);
  if (const fs::path read = driver::copied_from(task.source, s.exercise.file.parent_path());
      new_code && !read.empty())
    return verdict(driver::Verdict::cheats, "is " + read.filename().string());
  const std::string refused =
      sandbox_.compile(s.exercise, task.source, task.place, compile_limit());
  if (const fs::path other =
          driver::other_source(Sandbox::read_by_compiler(task.place),
                               {task.source, s.exercise.file}, official_.catalogue().build);
      !other.empty())
    return verdict(driver::Verdict::cheats, "takes another source: " + other.filename().string());
  if (!refused.empty()) return verdict(driver::Verdict::no_build, first_error(refused), refused);
  const driver::Catalogue here = with_programs_of(task.place);
  const driver::Yardsticks yardsticks(here, s.exercise);
  const driver::Tested tested = run_tests(here, s.exercise);
  if (json cheat = changed(yardsticks); !cheat.is_null()) return cheat;
  json found = verdict(tested.verdict, tested.reason, tested.text);
  if (tested.verdict == driver::Verdict::met) found["verdict"] = "right";
  return found;
}

// How fast what is right is.
json Grading::measured(const Task& task) const {
  const driver::Exercise& e = task.submission.exercise;
  json found = task.found;
  const driver::Catalogue here = with_programs_of(task.place);
  const driver::Yardsticks yardsticks(here, e);
  const std::string beside = e.lesson->has("shipped", e.backend) ? "shipped" : "";
  const About about = report::about_lesson(official_.catalogue().source, e.lesson->path);
  driver::Verdict all = driver::Verdict::met;
  std::vector<GoalShare> stands;
  const bool as_shipped = driver::same_code(task.source, e.file);
  std::string evidence;
  for (const json& line : found["evidence"]) evidence += line.get<std::string>() + "\n";
  found["goals"] = json::array(), found["notes"] = json::array();
  if (driver::same_code(task.source, e.file.parent_path() / ("solution" + e.on->extension)))
    found["notes"].push_back("is the workbook's own solution");
  for (const driver::Goal& goal : driver::good_goals(e)) {
    driver::Reached r{.met = true, .verdict = driver::Verdict::met};
    int times = 0;
    if (!goal.variant.empty())
      r = best(goal.factor, times, [&] {
        return driver::reach(here, e, "exercise", goal, options_, bug_hunt(e) ? "" : beside);
      });
    evidence += r.text;
    if (times > 2) evidence += fmt::format("  That is the best of {} measurements.\n", times);
    if (!r.note.empty()) found["notes"].push_back(r.note);
    if (r.suspect) {  // each launch was checked
      found["notes"].push_back(r.reason);
      r.low = believed(r.low, r.roof);
      r.met = r.low >= goal.factor;
    }
    if (r.verdict != driver::Verdict::met && r.verdict != driver::Verdict::slow)
      return verdict(r.verdict, r.reason, evidence);
    if (!r.machine.empty()) found["machine"] = r.machine;
    if (as_shipped) r.met = false, r.low = 0;
    if (!r.met) all = driver::Verdict::slow;
    stands.push_back(share_of_way(r.low, goal.factor, r.shipped, r.met));
    found["goals"].push_back({{"text", goal.text(about.case_names)},
                              {"case", text_of(goal.axes)},
                              {"factor", goal.factor},
                              {"variant", goal.variant},
                              {"ratio", r.ratio},
                              {"low", r.low},
                              {"shipped", r.shipped},
                              {"seconds", r.seconds},
                              {"met", r.met},
                              {"share", stands.back().share}});
    if (!r.met)
      found["reason"] = as_shipped                ? "the code is as shipped"
                        : r.suspect && r.low == 0 ? r.reason
                        : goal.as_long ? fmt::format("{:.3g} times as long as {}, goal {:.4g}",
                                                     1 / r.low, goal.variant, 1 / goal.factor)
                                       : fmt::format("{:.3g} times as fast as {}, goal {:g}", r.low,
                                                     goal.variant, goal.factor);
  }
  if (std::ranges::all_of(stands, &GoalShare::given))
    found["notes"].push_back("on this machine the exercise as shipped meets its goal, too");
  if (json cheat = changed(yardsticks); !cheat.is_null()) return cheat;
  found.update(verdict(all, found["reason"], evidence));
  found["points"] = points(all, stands, bug_hunt(e));
  found["share"] = std::ranges::min_element(stands, {}, &GoalShare::share)->share;
  return found;
}

std::string not_held(const Sandbox& sandbox, bool on_gpu) {
  if (!sandbox.not_held().empty() || !on_gpu) return sandbox.not_held();
  return "on a GPU exercises see other processes, which its driver needs, and take of the card "
         "what they want";
}

json grade_apart(const Task& task, const fs::path& probes, const std::string& commit,
                 const driver::RunOptions& options, double limit) {
  const Submission& s = task.submission;
  const bool here = options.launcher.empty();
  const std::string file = (task.place / "task").string(), found = (task.place / "judged").string();
  fs::create_directories(task.place);
  fs::remove(found);
  write_atomically(file, dump_json({{"commit", commit},
                                    {"lesson", s.exercise.lesson->path},
                                    {"backend", s.exercise.backend},
                                    {"source", task.source.string()},
                                    {"place", here ? task.place.string() : ""},
                                    {"probes", probes.string()},
                                    {"found", task.found},
                                    {"fast", options.choice.fast},
                                    {"time limit", options.time_limit}}));
  std::vector<std::string> command = split_words(options.launcher);
  const fs::path self = "/proc/self/exe";  // here even where it was built anew meanwhile
  command.insert(command.end(),
                 {(here ? self : fs::read_symlink(self)).string(), "grade-one", file});
  const std::string who = s.student + " " + s.exercise.lesson->path;
  std::string last;
  const Launched run = run_launched(
      who, command, here ? 24 * 3600 : limit,
      [&](const std::string& line) {  // "queued and waiting for resources", "Permission denied"
        if (!here) tell("{}: {}", who, line);
        last = line;
        return here;  // no launcher, no words of one
      },
      [&] { return fs::exists(found); });
  if (run.out_of_time.empty() && run.outcome.fine()) return parse_json(read_file(found));
  json none = verdict(
      driver::Verdict::not_here,
      run.outcome.timed_out
          ? fmt::format("the launcher gave no result within {:g} s (--launcher-limit)", limit)
      : run.out_of_time.empty() ? how_it_ended(run.outcome, last)
                                : run.out_of_time);
  if (!here) none["lost"] = !run.out_of_time.empty() || run.outcome.timed_out;
  return none;
}

int run_grade_one(const driver::Catalogue& teachers, const std::string& file) {
  driver::RunOptions options;
  Task task;
  std::string commit, lesson, backend;
  fs::path probes;
  try {
    const json given = parse_json(read_file(file));
    commit = given.at("commit"), lesson = given.at("lesson"), backend = given.at("backend");
    options.choice.fast = given.at("fast");
    options.time_limit = given.at("time limit");
    task.source = given.at("source").get<std::string>();
    task.place = given.at("place").get<std::string>();
    probes = given.at("probes").get<std::string>();
    task.found = given.at("found");
  } catch (const json::exception&) {
    throw Failure(2, file + " is no task that `grade` wrote");
  }
  const Official official(teachers, commit);
  driver::Exercise& exercise = task.submission.exercise;
  for (const driver::Exercise& e : driver::exercises(official.catalogue(), backend))
    if (e.lesson->path == lesson) exercise = e;
  if (!exercise.lesson) throw Failure(2, "no such exercise: " + file);
  const fs::path shared = fs::path(file).parent_path();
  std::optional<Scratch> own;
  if (task.place.empty()) {  // on a machine that may be given up, come back, and go on
    own.emplace(shared);
    task.place = own->file("place"), probes = own->file("known");
  }
  const Sandbox sandbox(official);
  const Grading grading(official, sandbox, options, probes);
  const bool is_tested = !task.to_test();
  try {
    if (task.source.empty()) {
      const std::string why = grading.test_known(exercise);
      task.found =
          why.empty() ? json{{"verdict", "right"}} : verdict(driver::Verdict::not_here, why);
    } else {
      task.submission.text = read_file(task.source.string());
      if (!is_tested) task.found = grading.test(task);
      if ((is_tested || own) && task.to_measure()) task.found = grading.measure(task);
    }
  } catch (const std::exception& why) {
    if (exit_code(why, 5) == 130) throw;
    task.found = verdict(driver::Verdict::not_here, one_line(why));
  }
  if (own) {
    task.found["sandbox"] = sandbox.name();
    task.found["not_held"] = not_held(sandbox, exercise.on->accelerator);
  }
  write_atomically((shared / "judged").string(), dump_json(task.found));
  return 0;
}

}  // namespace wb::classroom
