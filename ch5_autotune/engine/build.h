// Compiling a candidate for this device, and the limits of the device.
#pragma once

#include "device/backend.h"
#include "journal.h"
#include "tunable.h"

namespace tune {

constexpr double kCompileLimit = 120;  // seconds for a compiler

// Throws std::invalid_argument for a backend that nothing is tuned for, and std::runtime_error for
// one that is not in this build or has no device.
Limits limits_of(const std::string& backend);

// Compiles `source`, a file of the checkout, with the macros "BM=128 BN=256" into the file
// `object`. Throws std::runtime_error with the compiler's first error.
void compile(const std::string& source, const std::string& macros, const Limits& limits,
             const std::string& object);

Subject subject_of(const Tunable& tunable, const wb::Case& c, const Space& space);

// Which candidate a search told this process to be: choose() takes it, and no winner. Else empty.
struct Forced {
  std::string configuration, object;
};
Forced& forced();

// The line of a compiler's output that has "error", or its first line.
std::string first_error(const std::string& said);

// Of a source in CUDA, by NVRTC; in a file of its own.
void compile_cuda(const std::string& source, std::vector<std::string> options, const Limits& limits,
                  const std::string& object);
Limits cuda_limits();

}  // namespace tune
