// The verdict on one file that students handed in.
#pragma once

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "classroom/sandbox.h"
#include "classroom/submission.h"
#include "driver/commands.h"
#include "driver/judge.h"

namespace wb::classroom {

nlohmann::json verdict(driver::Verdict v, const std::string& reason,
                       const std::string& evidence = "");

// One file of students, and what is to be done for its verdict. Equal files have one.
struct Task {
  Submission submission;
  std::string key;  // exercise and contents
  std::filesystem::path source, place;
  // Verdict, reason, evidence; goals when it was measured. Of another machine "sandbox" and
  // "not_held"; "lost" where a launcher gave no verdict: whether it has lost the machine.
  nlohmann::json found{};
  bool to_test() const { return found.is_null(); }
  bool to_measure() const { return !found.is_null() && found["verdict"] == "right"; }
  bool to_judge() const { return to_test() || to_measure(); }
};

// On this machine. What it lacks is no student's fault: where an exercise fails, one that is known
// to be right is put in its place, and if that fails as well, the verdict is `not_here`.
class Grading {
 public:
  // `probes` becomes a folder for these exercises.
  Grading(const Official& official, const Sandbox& sandbox, const driver::RunOptions& options,
          std::filesystem::path probes)
      : official_(official), sandbox_(sandbox), options_(options), probes_(std::move(probes)) {
    std::filesystem::create_directories(probes_);
  }
  nlohmann::json test(const Task& task) const;
  nlohmann::json measure(const Task& task) const;
  // Compiles and tests the known one: why nobody's can be graded here, or "".
  std::string test_known(const driver::Exercise& e) const;

 private:
  nlohmann::json tested(const Task& task) const;
  nlohmann::json measured(const Task& task) const;
  std::string compile_known(const driver::Exercise& e, const std::filesystem::path& place) const;
  std::string measure_known(const driver::Exercise& e) const;
  driver::Tested run_tests(const driver::Catalogue& programs, const driver::Exercise& e) const;
  double compile_limit() const { return std::min(180.0, options_.time_limit); }  // seconds
  std::filesystem::path probe(const driver::Exercise& e) const;
  driver::Catalogue with_programs_of(const std::filesystem::path& place) const;

  const Official& official_;
  const Sandbox& sandbox_;
  const driver::RunOptions& options_;
  const std::filesystem::path probes_;
};

// What the sandbox does not keep exercises from, some of which may run on a GPU.
std::string not_held(const Sandbox& sandbox, bool on_gpu);

// The same in a process of its own, so that nothing that goes wrong there ends this one: tests what
// was handed in, or measures what is right; a task without a source tries the exercise as shipped.
// It shares `probes` with others, unless a launcher has it done, on a machine that sees the folders
// of this one. That does all, has `limit` seconds, its wait for a machine included, and what it
// says is told. Throws Lost (base/pool.h).
nlohmann::json grade_apart(const Task& task, const std::filesystem::path& probes,
                           const std::string& commit, const driver::RunOptions& options,
                           double limit);
// What is started there: the task is a file. The driver's exit code.
int run_grade_one(const driver::Catalogue& teachers, const std::string& file);

}  // namespace wb::classroom
