// The verdict on one file that students handed in.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "classroom/official.h"
#include "classroom/submission.h"
#include "driver/commands.h"
#include "driver/judge.h"

namespace wb {

nlohmann::json verdict(Verdict v, const std::string& reason, const std::string& evidence = "");

// One file of students, and what is to be done for its verdict. Equal files have one.
struct Task {
  Submission submission;
  std::string key;  // exercise and contents
  std::filesystem::path source, place;
  // Verdict, reason, evidence; goals when it was measured. Of another machine "sandbox" and
  // "not_held"; "lost" where there is no verdict yet: whether it was the machine that was lost.
  nlohmann::json found{};
  bool to_test() const { return found.is_null(); }
  bool to_measure() const { return !found.is_null() && found["verdict"] == "right"; }
  bool to_judge() const { return to_test() || to_measure(); }
};

class Grading {  // on this machine
 public:
  Grading(const Official& official, const Sandbox& sandbox, const RunOptions& options)
      : official_(official), sandbox_(sandbox), options_(options) {}
  nlohmann::json test(const Task& task) const;
  nlohmann::json measure(const Task& task) const;

 private:
  Catalogue here(const Task& task) const;

  const Official& official_;
  const Sandbox& sandbox_;
  const RunOptions& options_;
};

// What the sandbox does not keep exercises from, some of which may run on a GPU.
std::string not_held(const Sandbox& sandbox, bool on_gpu);

// The same, and all of it at once, on the machine that a launcher chooses and that sees the folders
// of this one.
nlohmann::json grade_elsewhere(const Task& task, const std::string& commit,
                               const RunOptions& options);
// What it starts there: the task is a file. The driver's exit code.
int run_grade_one(const Catalogue& teachers, const std::string& file);

}  // namespace wb
