// Compiling a candidate for this device, and what the device allows.
#pragma once

#include "proposer.h"
#include "tunable.h"

namespace tune {

// Throws std::runtime_error where the backend is not in this build, or has no device.
Limits limits_of(const std::string& backend);

// Of a kernel, as the compiler reports it; 0 where it does not.
struct Resources {
  int registers = 0;  // per thread
  int spilled = 0;    // bytes of registers that went to memory
};

// Compiles the source with the configuration's values as macros into the file `object`, which is
// there as a whole or not at all. Throws std::runtime_error with the compiler's first error.
Resources compile(const Tunable& tunable, const Space& space, const Configuration& configuration,
                  const Limits& limits, const std::string& object);

// Differs where the source, a header that it includes by "...", a value that is compiled in, the
// compiler or the device does.
std::string object_key(const Tunable& tunable, const Space& space,
                       const Configuration& configuration, const Limits& limits);

// The place of the compiled objects, winners and journals: beside the measured ceilings.
std::string cache_folder();

// From here on choose() takes this, and no winner: how a search tells a process which candidate it
// is.
struct Forced {
  std::string configuration, object;
};
void force(const Forced& choice);

// Of a source in CUDA, by NVRTC; in a file of its own.
Resources compile_cuda(const std::string& source, const std::vector<std::string>& options,
                       const Limits& limits, const std::string& object);
Limits cuda_limits();

}  // namespace tune
