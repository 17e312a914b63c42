// The command line of a lesson program, and which cases it chooses.
#pragma once

#include <string>
#include <vector>

#include "measure/trial.h"

namespace wb {

struct Options {
  std::string backend = "auto", size, dtype, op, sweep, peer, cache = "cold", variant, filter, out,
              trace;
  std::uint64_t seed = 20260301;
  int repetitions = 0;
  double sample_seconds = 0;  // 0: as long as --fast or not says
  bool fast = false, first = false, quiet = false, list = false;
  bool stock = false;  // Google Benchmark's own listing or output format was asked for

  Settings settings() const {
    Settings s{.cache = cache == "hot" ? Cache::hot : Cache::cold};
    if (fast || !sweep.empty()) s.budget = 0.01;
    if (sample_seconds > 0) s.budget = sample_seconds;
    return s;
  }
  int samples() const { return repetitions > 0 ? repetitions : !sweep.empty() ? 3 : fast ? 5 : 9; }
};

// Takes our flags, and leaves Google Benchmark's others in `for_benchmark`. Throws Failure
// (harness/failure.h) with code 2 and one line for what it can't read. --help prints and exits.
Options parse_options(int argc, const char* const* argv, std::vector<std::string>& for_benchmark);

// The cases that --size, --op and --dtype choose, or the one that --size=n=1000,m=7 spells out.
// Throws Failure with code 2 when there is none (it names those that exist), 3 when no memory is
// that large. With --sweep: the points of that axis (every second one with --fast).
std::vector<Shape> chosen_shapes(const Problem& problem, BackendKind kind, const Options& options);

// The axis that --sweep names, or null without one. Throws Failure with code 2 when the lesson has
// no such axis (it names those that exist).
const Sweep* chosen_sweep(const Problem& problem, BackendKind kind, const Options& options);

// Whether --benchmark_filter, an extended regular expression or one with '-' in front, lets it run.
// Throws Failure with code 2 when it is none.
bool passes(const Options& options, const std::string& benchmark_name);

}  // namespace wb
