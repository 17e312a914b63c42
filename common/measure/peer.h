// Another library that does what a lesson does, as a yardstick: a program that is asked for samples
// over a pipe, so that they are taken in turn with the lesson's own (common/peer/pytorch.py). Its
// samples are device time, so lessons on the wall clock have no peer.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <string>
#include <vector>

#include "model/row.h"
#include "wb/variant.h"

namespace wb {

class Peer {
 public:
  // Starts a Python script. Throws Unsupported with one line when it says that something is
  // missing.
  explicit Peer(const std::string& script);
  static std::string script(const std::string& name);  // common/peer/<name>.py
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  const std::string& version() const { return version_; }  // "PyTorch 2.11.0"
  // Whether it has something to put beside this lesson or operation ("" for none).
  bool knows(const std::string& lesson, const std::string& op) const;

  struct Sample {
    double seconds;
    std::string timer;  // as Row::timer
  };
  // The median of as many runs as fit into `budget` seconds; or with `records` of some runs, from
  // activity records instead of events. Throws Unsupported when it can't do this case.
  Sample sample(const CaseKey& c, double budget, bool records = false);

 private:
  std::string answer(const char* key);  // of the next line; throws Unsupported for what it refuses

  pid_t process_ = -1;
  std::FILE *to_ = nullptr, *from_ = nullptr;
  std::string version_, line_;
  std::vector<std::string> known_;  // lessons and operations
};

}  // namespace wb
