// A search from its start, or from where it was interrupted, to a winner.
#pragma once

#include "journal.h"
#include "judge.h"

namespace tune {

struct Plan {
  std::string strategy = "evolutionary";
  int budget = 0;      // trials at most; 0: no such limit
  double minutes = 0;  // 0: no such limit
  std::uint64_t seed = 0;
  bool resume = false;
  std::string journal;
};

// Tries the default first, then the configurations that the strategy chooses, and stores each trial
// as it ends. At the end it times the fastest few and the default again, in turn, and keeps the
// winner, for each device that the judge has. Progress goes to stderr, the result to stdout.
// Returns the exit code: 0, or 1 if no configuration is right. After Ctrl-C it throws Failure (code
// 130); the journal then has all trials that ended.
int search(Judge& judge, const Subject& subject, const Plan& plan);

}  // namespace tune
