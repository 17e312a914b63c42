// Trials on other machines. A launcher (srun, ssh) starts each worker, which reads from its
// standard input what to try. A worker is an Evaluator; the search and its journal stay here.
//
// A candidate has a separate process there, so a worker that ends has lost its machine, or its time
// on it. Another worker then repeats its trial.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "../engine/evaluator.h"
#include "base/pool.h"
#include "base/process.h"

namespace tune {

// The worker's side: it answers until its input ends, or until no request came for ten minutes.
int work(Evaluator& evaluator);

// The first line of a worker.
struct Hello {
  Subject subject;
  Limits limits;
};

// The processes of workers, each of which a thread of a pool talks to: jobs are requests, results
// are answers.
class Crew {
 public:
  using Requests = wb::Pool<std::string, std::string>;
  // Returns when the first has said hello. Throws Failure: 2 or 3 where it ended with that, 4 where
  // it could not be started, 130.
  Crew(std::vector<std::string> command, int workers);
  const Hello& hello() const { return *hello_; }
  std::vector<Subject> subjects();  // of all so far, which differ in the device's id alone
  Requests& requests() { return *requests_; }

 private:
  using Worker = std::shared_ptr<wb::Process>;
  Worker start(wb::Outcome& ended);
  void introduce(const std::string& line);
  Requests::Worker hire();

  const std::vector<std::string> command_;
  std::mutex mutex_;  // of the next three
  std::optional<Hello> hello_;
  std::vector<Subject> subjects_;
  Worker first_;  // until a thread takes it
  std::optional<Requests> requests_;
};

class Workers : public Judge {
 public:
  Workers(const Tunable& tunable, const wb::Case& axes, Crew& crew)
      : Judge(tunable, axes, crew.hello().limits), crew_(crew) {}
  void try_all(const std::vector<Configuration>& all,
               const std::function<bool(Record)>& enough) override;
  std::vector<std::vector<double>> in_turn(const std::vector<Configuration>& all,
                                           int samples) override;
  bool alone() const override { return false; }
  std::vector<Subject> subjects() override { return crew_.subjects(); }

 private:
  Crew& crew_;
};

}  // namespace tune
