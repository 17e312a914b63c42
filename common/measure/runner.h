// Where a variant runs: in this process, in one of its own (judged/in_process.cpp), or somewhere
// else, which is one more class, for Trial asks nothing else of a place: tests/runner_test.cpp has
// one.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "measure/arrays.h"
#include "model/row.h"

namespace wb {

// What of a variant is launched on a case. Throws Unsupported with what the device lacks of its
// needs (model/needs.h), else what its set-up throws.
Launch set_up(const Variant& variant, const Case& c, const void* args, const Backend& backend);

// What the hardware counts of a launch whose arrays `prepare` has ready, as Backend::count.
HardwareCounts count(Backend& backend, const Launch& launch, const std::function<void()>& prepare,
                     Cache cache, std::span<const Region> arrays);

// What runs a variant has ended, or the variant cheated; `status` becomes that of its row.
struct RunEnded : std::runtime_error {
  Status status;
  RunEnded(Status status, const std::string& why) : std::runtime_error(why), status(status) {}
};

// What is asked of a variant on its case, and what it gives.
struct Request {
  enum What {
    samples,  // times of launches, one by one, on arrays that are prepared for each
    records,  // the same by activity records (Unsupported: why there are none), always looked at
    trace,    // as Backend's, of hot launches on arrays that are loaded
    hardware  // what the hardware counts of one launch
  } what;
  int launches;  // of samples at most so many
  Cache cache = Cache::cold;
  double budget = 0;  // of samples: seconds of wall time, but for the first launch
  bool look = true;   // of samples: at the arrays, right behind each launch
};
struct Measured {
  Times times = {};
  Trace trace = {};
  HardwareCounts hardware = {};
};

// A variant that is set up on a case.
class Runner {
 public:
  virtual ~Runner() = default;

  // Once, untimed, on arrays that are prepared; enqueued at least when it returns.
  virtual void launch() = 0;
  // What that launch left running when its stream was done, see Backend; "" where that is nothing.
  virtual std::string left_running() = 0;
  virtual Measured measure(const Request& request) = 0;
  virtual void disturb(bool on) = 0;  // as Backend

  // From pause() to resume(), or to the next of the above, nothing of it runs.
  virtual void pause() {}
  virtual void resume() {}

  // An exercise, of which nothing is believed; what is odd about the times that it claims, or "",
  // and what a sample counts then.
  virtual bool judged() const { return false; }
  virtual std::string note() const { return ""; }
  virtual double corrected(double sample) const { return sample; }
};

// A kind of place.
class Runners {
 public:
  virtual ~Runners() = default;
  // Runs the variant's set-up. Throws what it throws (Unsupported: can't run on this machine).
  virtual std::unique_ptr<Runner> make(const Variant& variant, Data& data, Backend& backend) = 0;
  virtual DrawNewInputs* new_inputs() const { return nullptr; }  // see ArraySetup
  bool shares_arrays() const { return new_inputs(); }            // with other processes

  int threads = 0;   // that variants are offered from make() on, see Backend
  double steps = 0;  // that a launch may take then, in a process of its own: see Backend
};

Runners& this_process();

}  // namespace wb
