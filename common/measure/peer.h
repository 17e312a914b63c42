// Another library that does what a lesson does, as a yardstick: a program that is asked for samples
// over a pipe, so that they are taken in turn with the lesson's own (a file of common/peer). Its
// samples are device time, so lessons on the wall clock have no peer.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/process.h"
#include "model/row.h"
#include "wb/variant.h"

namespace wb {

class Peer {
 public:
  // Starts a Python script for a lesson. It has `patience` seconds for its first line, and beside
  // its budget for a sample; then it is ended. Throws Unsupported when something is missing there.
  Peer(const std::string& script, const std::string& lesson, double patience = 60);
  static std::string script(const std::string& name);  // common/peer/<name>.py

  // The rows it puts beside this one: pytorch, pytorch_compile. None of what it does not know.
  std::vector<Row> beside(Row row) const;

  struct Sample {
    double seconds;
    std::string timer;  // as Row::timer
  };
  // The median of as many runs of the row's case, by its variant, as fit into `budget` seconds; or
  // with `records` of some runs, from activity records, not events. Throws Unsupported if it can't.
  Sample sample(const Row& row, double budget, bool records = false);

 private:
  const double patience_;
  Process process_;
  std::string version_;  // "PyTorch 2.11.0"
  std::set<std::string> known_;
  std::map<std::string, std::string> variants_;  // and how people call them
};

}  // namespace wb
