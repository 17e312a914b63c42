// How a lesson program measures, and which of the lesson's cases.
#pragma once

#include <string>
#include <vector>

#include "measure/trial.h"
#include "model/choice.h"

namespace wb {

struct Options : Choice {
  std::string filter, out, trace;
  std::string exercise;  // a program that runs it
  int repetitions = 0;
  double sample_seconds = 0;  // 0: as long as --fast or not says
  bool quiet = false, list = false, serve = false;
  bool stock = false;  // Google Benchmark's own listing or output format was asked for

  Settings settings() const {
    Settings s{.cache = cache == "hot" ? Cache::hot : Cache::cold};
    if (fast || !sweep.empty()) s.budget = 0.01;
    if (sample_seconds > 0) s.budget = sample_seconds;
    return s;
  }
  int samples() const {
    return repetitions ? repetitions : !sweep.empty() ? 3 : fast || survey ? 5 : 9;
  }
};

// The axes of the lesson that can be swept on a backend of these traits.
const std::vector<Sweep>& sweeps_of(const Problem& problem, const Traits& traits);

// The cases that --axis (and --size, --dtype, --op) choose. Where cases have no axis "size", a
// class is that of their largest array; where none has this "op", the lesson's own operation means
// all. Numbers that no case has, words of axes that take any, and words that only the tests or
// another backend's cases have, make a case of their own from the first that has the rest. With
// --sweep: the points of that axis (every second one with --fast). Throws Failure with code 2 when
// there is none (it names what exists), 3 when no memory is that large.
std::vector<Case> chosen_cases(const Problem& problem, const Traits& traits,
                               const Options& options);

// The axis that --sweep names, if any. Failure with code 2 names those that exist when it does not.
const Sweep* chosen_sweep(const Problem& problem, const Traits& traits, const Options& options);

// Whether --benchmark_filter, an extended regular expression or one with '-' in front (else Failure
// with code 2), lets it run.
bool passes(const Options& options, const std::string& benchmark_name);

}  // namespace wb
