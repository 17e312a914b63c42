// A search from its start, or from where it was broken off, to a winner.
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

// Tries the default first, then what the strategy says, and writes each trial down as it ends; at
// last times the fastest few and the default again, in turn, and keeps the winner, for each device
// that the judge has. Progress is told on stderr, the result printed. Returns the exit code: 0, or
// 1 where nothing is right. After Ctrl-C it throws Failure (code 130); the journal then has all
// trials that ended.
int search(Judge& judge, const Subject& subject, const Plan& plan);

}  // namespace tune
