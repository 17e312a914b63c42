// Trials on other machines. A launcher (srun, ssh) starts each worker, which reads from its
// standard input what to try. A worker is an Evaluator; the search and its journal stay here.
//
// A candidate has a separate process there, so a worker that ends has lost its machine, or its time
// on it. Another worker then repeats its trial.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <thread>

#include "../engine/evaluator.h"
#include "base/process.h"

namespace tune {

// The worker's side: it answers until its input ends, or until no request came for ten minutes.
int work(Evaluator& evaluator);

// The first line of a worker.
struct Hello {
  Subject subject;
  Limits limits;
};

// The processes of workers. A thread talks to each; the others' wait in what follows.
class Crew {
 public:
  // Returns when the first has said hello. Throws Failure: 2 or 3 where it ended with that, 4 where
  // none could be started, 130.
  Crew(std::vector<std::string> command, int workers);
  ~Crew() { close(); }
  const Hello& hello() const { return *hello_; }
  std::vector<Subject> subjects();  // of all so far, which differ in the device's id alone

  struct Answer {
    std::string request, line;  // no line: so many workers were lost over it that it may be why
    std::string lost{};         // how the last one ended
  };
  void ask(const std::string& request);
  Answer next();           // to any request. Throws Failure: 4 when no worker is left, 130
  std::size_t withdraw();  // requests that no worker has begun; returns how many

 private:
  struct Task {
    std::string request;
    int lost = 0;
  };
  void run();
  void close();
  bool start(std::unique_ptr<wb::Process>& process, int attempt);
  bool introduced(const std::string& line);
  std::optional<Task> take();

  const std::vector<std::string> command_;
  std::mutex mutex_;  // of all below
  std::condition_variable changed_;
  std::optional<Hello> hello_;
  std::vector<Subject> subjects_;
  std::deque<Task> tasks_;
  std::deque<Answer> answers_;
  std::set<pid_t> silent_;  // they have not said hello yet, perhaps for want of a node
  int alive_ = 1, code_ = 4;
  std::string ended_ = "";  // how the last one did that could not be started
  bool closing_ = false;
  std::vector<std::thread> threads_;
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
