// Running another program: with a time limit, line by line, and stopped by Ctrl-C.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace wb {

using LineSink = std::function<void(const std::string& line)>;

struct Outcome {
  int code = 0;            // exit status; 127 when it could not be started
  int signal = 0;          // what killed it, or 0
  bool timed_out = false;  // it ran past the limit and was killed
};

// From here on Ctrl-C and SIGTERM end a running program, and then run_process throws.
void catch_interrupts();

// Runs `command` (found in PATH) in a process group of its own, with no standard input and with
// WB_PROGRESS=1, and hands on its output as it comes. When it ends, all of its group ends. Throws
// Failure with code 130 after an interrupt, when the group is gone.
Outcome run_process(const std::vector<std::string>& command, double time_limit_seconds,
                    const LineSink& output, const LineSink& errors);

}  // namespace wb
