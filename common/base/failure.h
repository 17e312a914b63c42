// How the driver and the lesson programs end: 0 fine, 1 wrong answer or goal missed, 2 bad usage, 3
// can't run here, 4 a lesson program crashed, hung or lost its device, 5 file trouble, 130
// interrupted, 141 nobody reads the output.
#pragma once

#include <stdexcept>
#include <string>

namespace wb {

// Ends the program with this exit code and one line on stderr.
struct Failure : std::runtime_error {
  int code;
  Failure(int code, const std::string& line) : std::runtime_error(line), code(code) {}
};

// The exit code that an exception asks for; `otherwise` of one that is no Failure.
inline int exit_code(const std::exception& e, int otherwise) {
  const auto* failure = dynamic_cast<const Failure*>(&e);
  return failure ? failure->code : otherwise;
}

}  // namespace wb
