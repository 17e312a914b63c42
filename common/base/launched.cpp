#include "base/launched.h"

#include <fmt/format.h>

#include <csignal>
#include <cstring>

#include "base/failure.h"
#include "base/pool.h"

namespace wb {

namespace {

// Why a launcher says that what it started did not end by itself, or "". It says so by the exit
// code of a program that was killed, 255 (ssh), or in words, and then the code may be 0 (srun).
std::string lost(const Launched& run, const std::string& said,
                 const std::function<bool()>& complete) {
  const Outcome& outcome = run.outcome;
  if (outcome.timed_out) return "";
  if (!said.empty()) return said;
  if (outcome.signal == SIGKILL || outcome.signal == SIGTERM || outcome.code == 128 + SIGKILL ||
      outcome.code == 128 + SIGTERM || outcome.code == 255)
    return how_it_ended(outcome, run.last_line);
  if (outcome.fine() && !complete()) return "exit code 0, and not all was measured";
  return "";
}

}  // namespace

std::string how_it_ended(const Outcome& outcome, const std::string& last_line) {
  const std::string last = last_line.empty() ? "" : ": " + last_line;
  if (outcome.timed_out) return "it ran past its time limit" + last;
  if (outcome.signal == SIGILL)
    return "this program was built for another CPU (signal 4): remove the build folder and start "
           "again";
  if (outcome.signal)
    return fmt::format("signal {} ({}){}", outcome.signal, strsignal(outcome.signal), last);
  return fmt::format("exit code {}{}", outcome.code, last);
}

Launched run_launched(const std::string& what, const std::vector<std::string>& command,
                      double time_limit, const std::function<bool(const std::string&)>& line,
                      const std::function<bool()>& complete) {
  Launched run;
  std::string gone;  // what Slurm says of a node
  run.outcome = run_process(
      command, time_limit, [](const std::string&) {},
      [&](const std::string& text) {
        if (line(text)) return;
        run.last_line = text;
        if (text.find("Node failure") != text.npos || text.find(" DUE TO ") != text.npos)
          (text.find("TIME LIMIT") != text.npos ? run.out_of_time : gone) = text;
      });
  if (run.outcome.code == 127)
    throw Failure(3, fmt::format("could not start {}: is it installed?", command.front()));
  if (!run.out_of_time.empty()) return run;
  if (const std::string why = lost(run, gone, complete); !why.empty()) throw Lost(what, why);
  return run;
}

}  // namespace wb
