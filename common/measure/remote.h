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

 private:
  void start();
  void listen();

  const std::vector<std::string> command_;
  const double patience_;
  std::unique_ptr<Process> process_;
  std::vector<Served> variants_;
  std::size_t told_ = 0;   // bytes
  std::string last_line_;  // that it printed
  std::string hung_;       // why it is not started any more
};

// Of launches of the lesson's variants: seconds that they claim, and that are seen beyond those.
struct Claims {
  std::vector<double> claimed, beyond;
};
using Beyond = std::map<std::string, Claims>;

// Seconds that count for a launch: what it claims, and what is seen beyond that and beyond nearly
// all of `own`, if it is more than 2 us and 3 %. So a clock that lies now and then gains
// nothing; a launch that the machine woke late is one of few, and no median shows it.
double counted(double claimed, double beyond, const Beyond& own);

// What an exercise's clock leaves out in those of its launches, a half (`share`), for which it
// claims least: their median claim, and seconds beyond it; 0 up to 2 us and 3 %.
struct Hidden {
  double claimed = 0, more = 0;
};
Hidden hidden(const std::vector<double>& claimed, const std::vector<double>& beyond,
              const Beyond& own, double share = 0.5);

// The processes of a run in which an exercise takes part. The lesson's own variants then run like
// it, so that all are measured alike; tests, which measure nothing, have no process for these.
class Processes : public Runners {
 public:
  Processes(std::optional<Remote> own, Remote exercise)
      : own(std::move(own)), exercise(std::move(exercise)) {}
  std::unique_ptr<Runner> make(const Variant& variant, Data& data, Backend& backend) override;
  bool shares_arrays() const override { return true; }

  std::optional<Remote> own;
  Remote exercise;
  std::map<std::string, Beyond> beyond;   // by problem and case
  std::map<pid_t, std::string> settings;  // of the lesson's process, which stands still since then
  double next_look = 0;                   // for what the exercise left running
};

}  // namespace wb
