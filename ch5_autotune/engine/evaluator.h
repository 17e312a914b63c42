// Tries one configuration: compiles it, holds its answers against the lesson's at odd sizes and at
// the one that is tuned, and takes its time. The candidate runs in a process of its own; inputs,
// answers and the verdict stay here.
#pragma once

#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <vector>

#include "base/files.h"
#include "build.h"
#include "measure/arrays.h"
#include "measure/remote.h"
#include "measure/trial.h"
#include "proposer.h"

namespace tune {

// The variant `tuned`, by the name of who is judged from outside: exercise. A candidate's process
// serves it (measure/serve.h).
wb::Variant judged_variant(const std::string& backend);

class Evaluator {
 public:
  // Makes the arrays and answers. A candidate has `patience` seconds for each of its own. Throws as
  // Data does.
  Evaluator(const Tunable& tunable, Space space, const wb::Case& c, wb::Backend& backend,
            std::uint64_t seed, double patience);

  const Space& space() const { return space_; }
  const Limits& limits() const { return limits_; }
  double predict(const Configuration& c) const;  // seconds; 0: there is no model

  // A compiler for each starts, in a process of its own, unless there was one for the same values.
  // On a CPU it waits for them: nothing is timed beside a compiler.
  void begin(const std::vector<Configuration>& all);
  // Compiled, checked, then timed.
  Record judge(const Configuration& c);

  // Times these again, in turn: so many samples of each, in seconds. Of one that fails now there
  // are fewer.
  std::vector<std::vector<double>> in_turn(const std::vector<Configuration>& all, int samples);

 private:
  std::string object(const Configuration& c) const;  // its file
  Record compile(const Configuration& c) const;
  wb::Remote process(const Configuration& c) const;
  double seconds(wb::Trial& trial, std::string& error, int samples);

  const Tunable& tunable_;
  wb::Backend& backend_;
  const double patience_;
  Limits limits_;
  const Space space_;
  const wb::Variant variant_;
  double flops_ = 0;  // of a launch
  std::vector<std::unique_ptr<wb::Data>> checks_;
  std::unique_ptr<wb::Data> tuned_;
  const wb::Scratch scratch_;
  std::map<std::string, std::shared_future<Record>> compiled_;  // by object
};

}  // namespace tune
