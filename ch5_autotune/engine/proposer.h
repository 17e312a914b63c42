// Who says what is tried next. A strategy is one file in strategies/, and draws all that it knows
// from the records so far, so that a search that was broken off goes on where it was.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "journal.h"

namespace tune {

// What a strategy may know besides the records.
struct Setting {
  const Space* space;
  std::uint64_t seed = 0;
  std::function<double(const Configuration&)> predict = {};  // seconds, a model's; may be empty
  std::string briefing = {};  // what a person would tell: device, limits, problem
};

class Proposer {
 public:
  virtual ~Proposer() = default;
  // The next generation: legal, not tried before, no two alike. Empty: nothing is left to try.
  virtual std::vector<Configuration> next(const History& history) = 0;
  virtual std::string note() const { return ""; }  // one line about how it went, for the end
};

// exhaustive, random, hill, annealing, evolutionary, model, llm
std::vector<std::string> strategies();
// Throws wb::Failure with code 2 for any other name; it names these.
std::unique_ptr<Proposer> make_proposer(const std::string& strategy, const Setting& setting);

}  // namespace tune
