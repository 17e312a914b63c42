// Whether the core that launches work is shared with somebody else right now.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

namespace wb {

// On a virtual machine code can be slower for tenths of a second at a time, as a neighbour on the
// other hyperthread of its core would make it, and nothing in the guest tells. What tells is a
// piece of arithmetic that otherwise always takes the same time: on an H200's host a loop of 40
// cuBLAS calls took 320 to 370 us while the arithmetic took 21 to 24 us, and 390 to 520 us while it
// took 25 to 33 us (2026-11-21).
class HostSpeed {
 public:
  // Does the arithmetic and returns its seconds. Without one the core is always free.
  using Probe = std::function<double()>;

  explicit HostSpeed(Probe probe) : probe_(std::move(probe)) {}

  // A measurement: begin() waits until the core is free, check() looks again, free() tells
  // whether it was each time. All waiting together takes a tenth of the measurements at most.
  void begin();
  void check();
  bool free() const { return free_; }

  // Whether the probe, now, takes 15 % longer than it can: the 2 % quantile of all so far, for a
  // clock that was faster for a moment must not make all that follows look slow.
  bool slowed();

 private:
  Probe probe_;
  std::vector<double> seconds_;  // sorted
  bool free_ = true;
  double patience_ = 0;  // seconds
  std::chrono::steady_clock::time_point last_;
};

// The best of three times 20 microseconds, so that an interrupt does not count.
double probe_this_core();

}  // namespace wb
