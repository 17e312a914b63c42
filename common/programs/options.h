// The command line of a lesson program.
#pragma once

#include <string>
#include <vector>

#include "measure/options.h"

namespace wb {

// Takes our flags, and leaves Google Benchmark's others in `for_benchmark`. Throws Failure
// (base/failure.h) with code 2 and one line for what it can't read. --help prints and exits.
Options parse_options(int argc, const char* const* argv, std::vector<std::string>& for_benchmark);

}  // namespace wb
