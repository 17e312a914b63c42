// The verdict on one file that students handed in.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "driver/commands.h"
#include "driver/judge.h"
#include "driver/official.h"
#include "driver/submission.h"

namespace wb {

nlohmann::json verdict(Verdict v, const std::string& reason, const std::string& evidence = "");

// One file of students, and what is to be done for its verdict. Equal files have one.
struct Task {
  Submission submission;
  std::string key;  // exercise and contents
  std::filesystem::path source, place;
  nlohmann::json found{};  // verdict, reason, evidence; goals when it was measured
  bool to_test() const { return found.is_null(); }
  bool to_measure() const { return !found.is_null() && found["verdict"] == "right"; }
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

}  // namespace wb
