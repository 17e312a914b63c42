// Tries one configuration: compiles it, compares its answers with the lesson's at odd sizes and at
// the size that is tuned, and takes its time. The candidate runs in a separate process; inputs,
// answers and the verdict stay in this one.
#pragma once

#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <vector>

#include "base/files.h"
#include "judge.h"
#include "judged/processes.h"
#include "measure/arrays.h"
#include "measure/trial.h"
#include "proposer.h"

namespace tune {

// The variant `tuned`, which is judged from outside: a candidate's process serves it
// (judged/serve.h).
wb::Variant judged_variant(const std::string& backend);

class Evaluator : public Judge {
 public:
  // Makes the arrays and answers. A candidate has `patience` seconds for each of its own; `jobs`
  // compilers run at once. Throws as Data does, and wb::Unsupported where the device lacks what the
  // variant needs.
  Evaluator(const Tunable& tunable, const wb::Case& c, wb::Backend& backend, std::uint64_t seed,
            double patience, int jobs);

  // Several compilers run at the same time, and so many trials ahead.
  void try_all(const std::vector<Configuration>& all,
               const std::function<bool(Record)>& enough) override;
  Record judge(const Configuration& c);  // compiled, checked, then timed
  std::vector<std::vector<double>> in_turn(const std::vector<Configuration>& all,
                                           int samples) override;
  std::vector<Subject> subjects() override { return {subject_of(tunable_, axes_, space_)}; }

 private:
  // Starts a compiler for each, in a separate process, unless the same values were compiled before.
  // On a CPU it waits for them, because a compiler would disturb the timing.
  void begin(const std::vector<Configuration>& all);
  std::string object(const Configuration& c) const;  // its file
  Record compile(const Configuration& c) const;
  Record judge_once(const Configuration& c);
  wb::judged::Remote process(const Configuration& c) const;
  double seconds(wb::Trial& trial, std::string& error, int samples);

  wb::Backend& backend_;
  const double patience_;
  const std::size_t jobs_;
  const wb::Variant variant_;
  double flops_ = 0;  // of a launch
  std::vector<std::unique_ptr<wb::Data>> checks_;
  std::unique_ptr<wb::Data> tuned_;
  const wb::Scratch scratch_;
  std::map<std::string, std::shared_future<Record>> compiled_;  // by object
};

}  // namespace tune
