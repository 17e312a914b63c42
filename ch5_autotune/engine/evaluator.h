// Tries one configuration: compiles it, holds its answers against the lesson's at odd sizes and at
// the one that is tuned, and takes its time. The candidate runs in a process of its own; inputs,
// answers and the verdict stay here.
#pragma once

#include <memory>
#include <vector>

#include "build.h"
#include "measure/arrays.h"
#include "measure/remote.h"
#include "measure/trial.h"
#include "proposer.h"

namespace tune {

// Of the variant `tuned`. Throws std::invalid_argument where there is none.
const wb::Problem& problem_of(const Tunable& tunable);

class Evaluator {
 public:
  // Makes the arrays and answers. A candidate has `patience` seconds for each of its own. Throws as
  // Data does.
  Evaluator(const Tunable& tunable, Space space, const wb::Case& c, wb::Backend& backend,
            std::uint64_t seed, double patience);

  const Space& space() const { return space_; }
  const Limits& limits() const { return limits_; }
  double predict(const Configuration& c) const;  // seconds; 0: there is no model

  struct Compiled {
    Record record;  // status ok where there is an object
    std::string object;
  };
  // In a process of its own, into `object`. Several threads may call it.
  Compiled compile(const Configuration& c, const std::string& object) const;
  // Checked, then timed.
  Record judge(const Compiled& compiled);

  // Times them again, in turn: so many samples of each, in seconds. Of one that fails now there are
  // fewer.
  std::vector<std::vector<double>> in_turn(const std::vector<Compiled>& candidates, int samples);

 private:
  wb::Remote process(const Compiled& compiled) const;
  double seconds(wb::Trial& trial, std::string& error, int samples);

  const Tunable& tunable_;
  const wb::Case axes_;
  wb::Backend& backend_;
  const double patience_;
  Limits limits_;
  const Space space_;
  const wb::Variant variant_;  // as who is judged from outside is called
  double flops_ = 0;           // of a launch
  std::vector<std::unique_ptr<wb::Data>> checks_;
  std::unique_ptr<wb::Data> tuned_;
};

// What the process of a candidate does: serves the variant `tuned` (see measure/serve.h).
int serve_candidate(const std::string& backend, const Forced& candidate);

}  // namespace tune
