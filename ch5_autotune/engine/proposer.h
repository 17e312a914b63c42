// Who says what is tried next. A strategy is one file in strategies/, and draws all that it knows
// from the records so far, so that a search that was broken off goes on where it was.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "space.h"

namespace tune {

enum class Status { ok, incorrect, compile_failed, spills, refused, timeout, crashed, dishonest };
const char* name(Status status);            // "compile-failed"
Status status_of(const std::string& name);  // throws std::invalid_argument

// A configuration that was tried.
struct Record {
  Configuration configuration;
  Status status = Status::ok;
  double seconds = 0;  // of a launch; 0 where there is none
  int generation = 0;
  std::string reason = {};                // what is wrong, or ""
  std::string by = {};                    // the strategy
  int registers = 0;                      // per thread, of a GPU kernel
  double occupancy = 0;                   // threads of a multiprocessor, of all that it can have
  double spent = 0;                       // seconds of searching until then
  double compile_seconds = 0, flops = 0;  // flops: of the work, per second
  double predicted = 0;                   // seconds, by the model; 0: there is none
};
using History = std::vector<Record>;

// The fastest one that is right, or null.
const Record* best(const History& history);

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
