// Whether the cores that a measurement uses are shared with somebody else right now.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

namespace wb {

// On a virtual machine a neighbour on the other hyperthread of a core makes code there 1.3 to 2
// times slower, for tenths of a second at a time, and nothing in the guest tells. What tells is a
// piece of arithmetic that always takes the same time on a core of its own.
class HostSpeed {
 public:
  using Probe = std::function<double()>;  // does the arithmetic; returns its seconds

  explicit HostSpeed(Probe probe) : probe_(std::move(probe)) {}

  // Around a measurement. begin() waits until the cores are free; all waiting together takes a
  // tenth of the time between begin() and end() at most. end(): whether they were free at both.
  void begin();
  bool end();

  // Whether the probe, now, takes 15 % longer than it can: the 2 % quantile of all so far, for a
  // clock that was faster for a moment must not make all that follows look slow.
  bool slowed();

 private:
  Probe probe_;
  std::vector<double> seconds_;  // sorted
  bool free_ = true;
  double patience_ = 0;  // seconds
  std::chrono::steady_clock::time_point start_;
};

// The best of three times 20 microseconds, so that an interrupt or a thread that still spins does
// not count. Of all cores, the slowest.
double probe_this_core();
double probe_all_cores();  // that OpenMP uses

}  // namespace wb
