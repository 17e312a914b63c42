// A proposer chooses the next configurations. A strategy is one file in strategies/. It takes all
// that it knows from the records so far, so that a search that was interrupted continues where it
// was.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "journal.h"

namespace tune {

// The facts that a strategy may know in addition to the records.
struct Setting {
  const Space* space;
  std::uint64_t seed = 0;
  std::function<double(const Configuration&)> predict = {};  // seconds, a model's; may be empty
  std::string briefing = {};  // as for a person: device, limits, problem
};

struct Proposer {
  // The next generation: legal, not tried before, no two alike. Empty: nothing is left to try.
  std::function<std::vector<Configuration>(const History& history)> next;
  std::function<std::string()> note = [] { return ""; };  // a line on how it went, for the end
};

// exhaustive, random, hill, annealing, evolutionary, model, llm
std::vector<std::string> strategies();
// Throws wb::Failure with code 2 for any other name; it names these.
Proposer make_proposer(const std::string& strategy, const Setting& setting);

}  // namespace tune
