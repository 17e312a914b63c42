// A conversation with a process that is not trusted.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/process.h"

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

  // `read` takes what it wants from the answer to a request; null: it speaks first. What it throws
  // is a useless answer.
  using Read = std::function<void(const nlohmann::json& answer)>;
  void ask(const nlohmann::json& request, const Read& read);
  std::string read_line();  // the next one of an answer
  void pause();
  void resume();
  pid_t id() const;        // negative: it does not run
  int end_strays() const;  // that it left, or whoever it was before it crashed
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

}  // namespace wb::judged
