#include "classroom/grade.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "base/alive.h"
#include "base/build_info.h"
#include "base/clock.h"
#include "base/failure.h"
#include "base/files.h"
#include "base/journal.h"
#include "base/json.h"
#include "base/output.h"
#include "base/pool.h"
#include "classroom/grade_one.h"
#include "classroom/rubric.h"
#include "report/about.h"

namespace wb::classroom {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

using Judging = std::function<json(const Task&)>;

// Has each task done by `judge`, up to `jobs` at once, and tells what was `done`.
void work(const std::string& what, const std::vector<Task*>& tasks, int jobs, const Judging& judge,
          const std::function<void(Task&)>& done) {
  if (tasks.empty()) return;
  tell("grade: {}: {} exercise{}{}", what, tasks.size(), tasks.size() == 1 ? "" : "s",
       jobs > 1 ? fmt::format(", {} at once", jobs) : "");
  Alive alive(what);
  Pool<Task*, json> pool(std::min<std::size_t>(jobs, tasks.size()), [&](Task* task) {
    const Submission& s = task->submission;
    alive.now(fmt::format("{}: {} {}", what, s.student, s.exercise.lesson->path));
    return judge(*task);
  });
  for (Task* task : tasks) pool.add(task);
  while (const auto ended = pool.next()) {
    Task& task = *ended->job;
    task.found = ended->result ? *ended->result : verdict(driver::Verdict::not_here, ended->lost);
    if (!ended->result) task.found["lost"] = true;
    alive.aside([&] { done(task); });
  }
}

bool is_not_here(const json& found) {
  return found.value("verdict", "") == name(driver::Verdict::not_here);
}

std::vector<driver::Exercise> chosen_exercises(const driver::Catalogue& catalogue,
                                               const driver::RunOptions& options) {
  std::vector<driver::Exercise> all = driver::exercises(catalogue, options.choice.backend);
  const std::vector<driver::Selection> chosen = driver::select(catalogue, options.names);
  std::erase_if(all, [&](const driver::Exercise& e) {
    return std::ranges::none_of(chosen, [&](auto& s) { return s.lesson == e.lesson; });
  });
  return all;
}

json row_of(const Submission& s, const std::string& file, json found) {
  const std::string shipped = read_file(s.exercise.file.string());
  json row = {{"student", s.student},
              {"lesson", s.exercise.lesson->path},
              {"backend", s.exercise.backend},
              {"file", file},
              {"points", 0.0},
              {"of", kPointsOfGoal * static_cast<double>(driver::goals_of(s.exercise.file).size())},
              {"share", 0.0},
              {"goals", json::array()},
              {"flags", s.tried && s.refused.empty() ? flags_of(s.text, shipped)
                                                     : std::vector<std::string>()}};
  for (const json& note : found.value("notes", json::array())) row["flags"].push_back(note);
  for (const char* field : {"notes", "machine", "sandbox", "not_held", "lost"}) found.erase(field);
  if (is_not_here(found)) row["points"] = row["share"] = nullptr;
  row.update(found);
  return row;
}

// What was handed in, and a task for each file that differs.
struct Handed {
  std::vector<driver::Exercise> asked;
  std::vector<Submission> in;
  std::vector<HandIn> skipped;
  std::map<std::string, Task> tasks;  // by key
  std::map<const Submission*, std::string> blob_of, key_of;
};

// Writes the files. Returns the exercises of which there is something to judge.
std::vector<driver::Exercise> make_tasks(Handed& handed, const Official& official,
                                         const fs::path& files, const Scratch& own,
                                         const std::map<std::string, json>& known,
                                         const driver::RunOptions& options) {
  std::vector<std::string> hash = git(files, {"hash-object", "--no-filters", "--"});
  std::vector<const Submission*> tried;
  for (const Submission& s : handed.in)
    if (s.tried && s.refused.empty() && s.unread.empty()) {
      const std::string name =
          fmt::format("{}/{}", tried.size(), s.exercise.file.filename().string());
      fs::create_directories((files / name).parent_path());
      write_atomically((files / name).string(), s.text);
      hash.push_back(name), tried.push_back(&s);
    }
  std::istringstream blobs(tried.empty() ? "" : output_of(hash));
  std::vector<driver::Exercise> judged;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    const Submission& s = *tried[i];
    blobs >> handed.blob_of[&s];
    const std::string key = s.exercise.key() + " " + handed.blob_of[&s] + " " + official.commit() +
                            (options.choice.fast ? " fast" : "");
    handed.key_of[&s] = key;
    const fs::path place =
        own.file(s.exercise.lesson->program + "-" + s.exercise.backend + "-" + handed.blob_of[&s]);
    Task task{s, key, files / hash[hash.size() - tried.size() + i], place};
    if (const auto found = known.find(key); found != known.end()) task.found = found->second;
    if (task.to_judge() &&
        std::ranges::none_of(judged, [&](auto& e) { return e.lesson == s.exercise.lesson; }))
      judged.push_back(s.exercise);
    handed.tasks.emplace(key, std::move(task));
  }
  return judged;
}

// Tries each lesson with an exercise that is known to be right. Where that fails, all that was
// handed in for it gets no other verdict.
void try_known(const std::vector<driver::Exercise>& judged, Handed& handed, int jobs,
               const Scratch& own, const Judging& judge) {
  std::vector<Task> tasks;
  for (const driver::Exercise& e : judged) {
    const std::string name = e.lesson->program + "-" + e.backend;
    tasks.push_back({{.student = "as shipped", .exercise = e}, "", {}, own.file("try-" + name)});
  }
  std::vector<Task*> all;
  for (Task& task : tasks) all.push_back(&task);
  work("testing as shipped first", all, jobs, judge, [&](Task& known) {
    if (!is_not_here(known.found)) return;
    const driver::Lesson* lesson = known.submission.exercise.lesson;
    tell("grade: {} cannot be graded here: {}", lesson->path,
         known.found["reason"].get<std::string>());
    for (auto& [key, task] : handed.tasks)
      if (task.submission.exercise.lesson == lesson && task.to_judge()) task.found = known.found;
  });
}

Grades grades_of(const Handed& handed, const Official& official, const driver::RunOptions& options,
                 const std::string& sandbox, const std::string& not_held) {
  Grades grades = {{"workbook", workbook_version()},
                   {"commit", official.commit()},
                   {"date", today()},
                   {"machine", ""},
                   {"backend", options.choice.backend},
                   {"sandbox", sandbox},
                   {"not_held", not_held},
                   {"rubric", {{"points", kPointsOfGoal}, {"slow", kSlowAtMost}}},
                   {"exercises", json::array()},
                   {"skipped", json::array()},
                   {"rows", json::array()}};
  for (const HandIn& h : handed.skipped)
    grades["skipped"].push_back({{"name", h.student}, {"why", h.skipped}});
  for (const driver::Exercise& e : handed.asked) {
    const About about = report::about_lesson(official.catalogue().source, e.lesson->path);
    grades["exercises"].push_back({{"lesson", e.lesson->path},
                                   {"backend", e.backend},
                                   {"title", about.title},
                                   {"goals", driver::goal_texts(e, about.case_names)}});
  }
  std::set<std::string> machines;
  for (const auto& [key, task] : handed.tasks)
    if (task.found.contains("machine")) machines.insert(task.found["machine"]);
  grades["machine"] = fmt::format("{}", fmt::join(machines, "; "));
  for (const Submission& s : handed.in) {
    if (std::ranges::none_of(handed.asked, [&](auto& e) { return e.lesson == s.exercise.lesson; }))
      continue;
    json found = verdict(driver::Verdict::not_tried, s.there ? "as handed out" : "missing");
    if (handed.key_of.contains(&s))
      found = handed.tasks.at(handed.key_of.at(&s)).found;
    else if (!s.unread.empty())
      found = verdict(driver::Verdict::not_here, s.unread);
    else if (s.tried)
      found = verdict(driver::Verdict::cheats, s.refused);
    const auto blob = handed.blob_of.find(&s);
    grades["rows"].push_back(row_of(s, blob == handed.blob_of.end() ? "" : blob->second, found));
  }
  return grades;
}

Handed what_was_handed_in(const Official& official, const driver::RunOptions& options,
                          const GradeOptions& grade) {
  Handed handed{chosen_exercises(official.catalogue(), options), {}, {}, {}, {}, {}};
  Collected collected = collect(grade.folders, handed.asked);
  handed.in = std::move(collected.in), handed.skipped = std::move(collected.skipped);
  for (const HandIn& h : handed.skipped) tell("grade: {} is skipped: it {}", h.student, h.skipped);
  if (!grade.gradescope.empty() &&
      std::ranges::any_of(handed.in, [&](auto& s) { return s.student != handed.in[0].student; }))
    throw Failure(2, "--gradescope writes what one student gets: name one tree");
  if (options.names.empty())  // what nobody tried was not set
    std::erase_if(handed.asked, [&](const driver::Exercise& e) {
      return std::ranges::none_of(
          handed.in, [&](auto& s) { return s.tried && s.exercise.lesson == e.lesson; });
    });
  return handed;
}

// The exit code, and what to do where it is not 0.
int ending(const Grades& grades, const Handed& handed, std::size_t lost) {
  if (lost > 0) {
    tell("grade: {} were lost; the same command with --resume grades them", lost);
    return 4;
  }
  const auto not_here = std::ranges::count_if(grades["rows"], is_not_here) +
                        std::ranges::count_if(handed.skipped, &HandIn::lacking);
  if (not_here == 0) return 0;
  tell("grade: {} could not be graded here and have no points; --resume tries these again",
       not_here);
  return 3;
}

// What students' programs are kept in, and what it does not keep them from: said once.
struct Boundary {
  bool here;  // one for all, on this machine
  std::string name = "bubblewrap", not_held{};

  void told(const std::string& sandbox, const std::string& missing) {
    if (!missing.empty() && missing != not_held)
      tell("grade: the sandbox does not prevent everything: {}", missing);
    if (!missing.empty() || here) name = sandbox, not_held = missing;
  }
  void told(const Task& task) {
    if (task.found.contains("sandbox")) told(task.found["sandbox"], task.found["not_held"]);
  }
};

// For the files that are judged, and for what is made of them.
std::pair<fs::path, fs::path> empty_folders(const Official& official) {
  const fs::path files = official.folder() / "files", places = official.folder() / "places";
  std::error_code none;  // where another machine still writes for a run that was killed
  fs::remove_all(files), fs::remove_all(places, none);
  fs::create_directories(files), fs::create_directories(places);
  return {files, places};
}

// Has tasks judged, one phase after the other, and keeps in the journal what was found.
struct Phases {
  Handed& handed;
  Journal& journal;
  Boundary& boundary;
  Judging judge;
  std::size_t number = 0, total = 0, lost = 0;

  void all(const char* what, int jobs, bool (Task::*to_do)() const) {
    std::vector<Task*> chosen;
    for (auto& [key, task] : handed.tasks)
      if ((task.*to_do)()) chosen.push_back(&task);
    number = 0, total = chosen.size();
    work(what, chosen, jobs, judge, [this](Task& task) { done(task); });
  }
  void done(Task& task) {
    const bool judged = !task.found.contains("lost");
    const bool here = !is_not_here(task.found);
    const std::string found = task.found[judged ? "verdict" : "reason"];
    if (!judged && number == lost && !task.found["lost"].get<bool>())  // so it would be with all
      throw Failure(3, fmt::format("no exercise is graded there: {}", found));
    if (judged && here) journal.add({{"key", task.key}, {"found", task.found}});
    boundary.told(task);
    lost += !judged;
    tell("[{}/{}] {} {}: {}{}", ++number, total, task.submission.student,
         task.submission.exercise.lesson->path, found,
         judged && !here ? ": " + task.found["reason"].get<std::string>() : "");
    std::error_code none;  // where another machine still writes
    if (!task.to_measure()) fs::remove_all(task.place, none);
  }
};

}  // namespace

int run_grade(const driver::Catalogue& teachers, const driver::RunOptions& options,
              const GradeOptions& grade) {
  for (const std::string& file :
       {options.json, options.csv, options.html, grade.junit, grade.gradescope})
    check_writable(file);
  fs::create_directories(teachers.build / "grade");
  Journal journal((teachers.build / "grade/journal.jsonl").string());  // nobody else grades here
  const Official official(teachers);
  Handed handed = what_was_handed_in(official, options, grade);
  const json header = {{"command", "grade"}};
  std::map<std::string, json> known;  // verdicts, by the keys of tasks
  const auto take = [&](const json& line) { known[line.at("key")] = line.at("found"); };
  grade.resume ? journal.resume(header, take) : journal.begin(header);
  std::optional<Sandbox> sandbox;  // with a launcher each machine has its own
  if (options.launcher.empty()) sandbox.emplace(official);
  Boundary boundary{.here = sandbox.has_value()};
  if (sandbox) {
    const auto on_gpu = [](const driver::Exercise& e) { return e.on->accelerator; };
    boundary.told(sandbox->name(), not_held(*sandbox, std::ranges::any_of(handed.asked, on_gpu)));
  }
  const auto [files, places] = empty_folders(official);
  const Scratch own(places);  // nor does what a killed run still writes come among these
  std::vector<driver::Exercise> judged = make_tasks(handed, official, files, own, known, options);
  for (const auto& [key, task] : handed.tasks) boundary.told(task);
  if (!judged.empty()) official.build(judged);

  Phases phases{handed, journal, boundary, [&](const Task& task) {
                  return grade_apart(task, own.file("known"), official.commit(), options,
                                     grade.launcher_limit);
                }};
  if (sandbox) {
    try_known(judged, handed, grade.jobs, own, phases.judge);
    phases.all("testing", grade.jobs, &Task::to_test);
    phases.all("measuring", 1, &Task::to_measure);
  } else {
    phases.all("grading elsewhere", grade.jobs, &Task::to_judge);
  }

  const Grades grades = grades_of(handed, official, options, boundary.name, boundary.not_held);
  write_grades(grades, options, grade);
  return ending(grades, handed, phases.lost);
}

}  // namespace wb::classroom
