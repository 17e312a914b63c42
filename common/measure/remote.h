// Variants that run in a process of their own and are judged from outside. Here are the arrays, the
// answers and the clock that bounds the other one's; there are the variants alone (serve.h).
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/process.h"
#include "measure/claims.h"
#include "measure/runner.h"

namespace wb {

// A process crashed, hung or cheated; `status` becomes that of its row.
struct Ended : std::runtime_error {
  Status status;
  Ended(Status status, const std::string& why) : std::runtime_error(why), status(status) {}
};

// A lesson program that serves: it binds arrays that are shared with this process, and launches
// when it is told to. It starts when first asked for something, again when it has crashed since,
// and stands still from pause() to the next question. All but pause() and resume() throw Ended when
// it ends, gives no answer or a useless one, or the variant fails, and Unsupported if it can't run.
class Remote {
 public:
  // It has `patience` seconds for each answer.
  explicit Remote(std::vector<std::string> command, double patience = 60)
      : command_(std::move(command)), patience_(patience) {}

  struct Served {
    std::string name, backend, problem, note;  // `problem`: Problem::type
  };
  const std::vector<Served>& variants();

  // What `read` takes from the answer to a request; null: it speaks first.
  template <class Read> auto ask(const nlohmann::json& request, Read read);
  std::string read_line();  // the next one of an answer
  void pause();
  void resume();
  pid_t id() const;  // negative: it does not run
  // That and its children as it started, for a sandbox may stand between.
  const std::vector<pid_t>& members() const { return members_; }

 private:
  void start();
  void listen();

  const std::vector<std::string> command_;
  const double patience_;
  std::unique_ptr<Process> process_;
  std::vector<Served> variants_;
  std::vector<pid_t> members_;
  std::size_t told_ = 0;   // bytes
  std::string last_line_;  // that it printed
  std::string hung_;       // why it is not started any more
};

// The processes of a run in which an exercise takes part. The lesson's own variants then run like
// it, so that all are measured alike; tests, which measure nothing, have no process for these.
class Processes : public Runners {
 public:
  Processes(std::optional<Remote> own, Remote exercise)
      : own(std::move(own)), exercise(std::move(exercise)) {
    if (this->own) wake_promptly();  // an answer's time ends when this thread has it
  }
  std::unique_ptr<Runner> make(const Variant& variant, Data& data, Backend& backend) override;
  bool shares_arrays() const override { return true; }

  std::optional<Remote> own;
  Remote exercise;
  std::map<std::string, Beyond> beyond;   // by problem and case
  std::map<pid_t, std::string> settings;  // of the lesson's process, which stands still since then
  double next_look = 0;                   // for what the exercise left running
};

}  // namespace wb
