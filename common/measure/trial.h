// One variant on one case, verified, sampled and traced: lesson programs and tests all come here.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "measure/arrays.h"
#include "measure/runner.h"

namespace wb {

struct Settings {
  Cache cache = Cache::cold;
  double budget = 0.05;  // seconds of wall time a sample
  int at_most = 1000;    // launches a sample
};

class Trial {
 public:
  // Runs the variant's set-up there, and throws what it throws (see Runners).
  Trial(const Variant& variant, Data& data, Backend& backend, Runners& where = this_process());

  // Three launches on poisoned outputs, each checked: the second with one input value changed, the
  // third with other inputs, after a while in which nobody may write an output. On a GPU the stream
  // is kept busy in front of them, so that results that come from another stream are lost under the
  // poison. Returns what is wrong in one line, or "".
  std::string verify();

  // verify() several times over while the backend disturbs what runs when (Backend::disturb), so
  // that a race between buffers or threads shows. Returns what is wrong in one line, or "".
  std::string verify_disturbed(int times = 3);

  // What one launch leaves in the outputs, unchecked.
  std::vector<std::byte> outputs();

  double bound() const;  // the relative error that its answers are held to

  // A few launches of which no time is kept; none where verify() has shown that one takes long, or
  // where nothing has a time.
  void warm_up(const Settings& settings);
  double seconds() const { return seconds_; }  // of a launch when last timed

  // One sample: the median seconds of as many launches as fit, and at least of one. Before each the
  // outputs are poisoned and an input changes; after each some elements are compared, and with
  // `whole` all after the last, which of an exercise is any that fits. `error`: what is wrong.
  double sample(const Settings& settings, std::string& error, bool whole = false);

  Counters<double> counters() const;  // the medians of all samples; 0: none, or not taken

  std::vector<LineCounts> lines = {};  // of the last launch, where a device counts

  // The end of its turn, also where an exception cut it short: nothing of it runs from here on, and
  // what an exercise did to the inputs is undone.
  void pause();

  const Runner& runner() const { return *runner_; }

  // Steady-state iterations, for goodput and the timeline.
  Trace trace(int iterations);
  // By activity records, see Request, checked as in sample().
  std::vector<double> device_seconds(const Settings& settings, int launches, std::string& error);

 private:
  std::string work_before_launch();  // "", or what it wrote

  Data& data_;
  Backend& backend_;
  std::optional<double> bound_;  // its own
  std::unique_ptr<Runner> runner_;
  double seconds_ = 0;                      // of a launch when last timed
  int launches_ = 1;                        // of the last sample
  Counters<std::vector<double>> counters_;  // the median of each sample
};

}  // namespace wb
