// Programs that a launcher (srun, ssh) starts on another machine, which may be lost meanwhile.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/process.h"

namespace wb {

// "signal 9 (Killed)", "exit code 1" or a time limit, and what it said last.
std::string how_it_ended(const Outcome& outcome, const std::string& last_line);

struct Launched {
  Outcome outcome;
  std::string last_line{};
  std::string out_of_time{};  // by the launcher's own limit: what it says of that
};

// Starts the words in front and the program behind them. `line` takes what it says on standard
// error; true: that is not a last word. `complete`: whether all is there when it ended with code 0.
// Throws Lost (base/pool.h) of `what` where its machine was lost, and Failure: 3 where nothing
// could be started, 130.
Launched run_launched(const std::string& what, const std::vector<std::string>& command,
                      double time_limit, const std::function<bool(const std::string&)>& line,
                      const std::function<bool()>& complete);

}  // namespace wb
