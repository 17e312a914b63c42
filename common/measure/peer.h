// Another library that does what a lesson does, as a yardstick: a program that is asked for samples
// over a pipe, so that they are taken in turn with the lesson's own (common/peer/pytorch.py). Its
// samples are device time, so lessons on the wall clock have no peer.
#pragma once

#include <string>
#include <vector>

#include "base/process.h"
#include "model/row.h"
#include "wb/variant.h"

namespace wb {

class Peer {
 public:
  // Starts a Python script, which has `patience` seconds for its first line, and beside its budget
  // for a sample; then it is ended. Throws Unsupported with one line when it says that something is
  // missing, or does not answer.
  explicit Peer(const std::string& script, double patience = 60);
  static std::string script(const std::string& name);  // common/peer/<name>.py

  const std::string& version() const { return version_; }  // "PyTorch 2.11.0"
  // The ways it has to do a thing, each a row of its own: pytorch, pytorch_compile. One at least.
  const std::vector<std::string>& variants() const { return variants_; }
  // Whether it has something to put beside this lesson or operation ("" for none).
  bool knows(const std::string& lesson, const std::string& op) const;

  struct Sample {
    double seconds;
    std::string timer;  // as Row::timer
  };
  // The median of as many runs of the row's case, by its variant, as fit into `budget` seconds; or
  // with `records` of some runs, from activity records instead of events. Throws Unsupported when
  // it can't do this case, or gives no answer.
  Sample sample(const Row& row, double budget, bool records = false);

 private:
  const double patience_;
  Process process_;
  std::string version_;
  std::vector<std::string> known_;  // lessons and operations
  std::vector<std::string> variants_{"pytorch"};
};

}  // namespace wb
