// Variants that run in a process of their own and are judged from outside. Here are the arrays, the
// answers and the clock that bounds the other one's; there are the variants alone (serve.h).
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/process.h"
#include "judged/claims.h"
#include "judged/new_inputs.h"
#include "measure/runner.h"

namespace wb::judged {

// A lesson program that serves: it binds arrays that are shared with this process, and launches
// when it is told to. It starts when first asked for something, again when it has crashed since,
// and stands still from pause() to the next question. All but pause() and resume() throw RunEnded
// when it ends, gives no answer or a useless one, or the variant fails, and Unsupported if it can't
// run.
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
  // From here on nobody may look into this process, which knows the answers, and what other
  // programs leave behind becomes its child.
  Processes(std::optional<Remote> own, Remote exercise);
  std::unique_ptr<Runner> make(const Variant& variant, Data& data, Backend& backend) override;
  DrawNewInputs* new_inputs() const override { return draw_new_inputs; }

  std::optional<Remote> own;
  Remote exercise;
  std::map<std::string, Beyond> beyond;   // by problem and case
  std::map<pid_t, std::string> settings;  // of the lesson's process, which stands still since then
  double next_look = 0;                   // for what the exercise left running
};

// Adds the exercise that a process serves, which may have ended already, to the variants of its
// lesson for this backend. Of what it says of itself only its note is believed: its problem is what
// the backend's baseline names (WB_EXERCISE), or the baseline's own.
void add_exercise(Registry& registry, Remote& exercise, const std::string& backend);

// The processes of a run in which the exercise takes part that the program `exercise` serves; it is
// added to its lesson's variants. `own`: this program, if the lesson's variants are to run like it.
std::unique_ptr<Processes> start(Registry& registry, const std::string& exercise,
                                 const std::string& backend, const std::string& own = "");

}  // namespace wb::judged
