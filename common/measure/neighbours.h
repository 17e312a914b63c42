// What others on this machine take from us, asked between the turns of a sample.
#pragma once

#include <functional>
#include <vector>

#include "device/backend.h"

namespace wb {

// On a virtual machine code can be slower for tenths of a second at a time, as a neighbour on the
// other hyperthread of its core would make it, and memory may give half of its bandwidth for
// minutes; nothing in the guest tells. What tells is work that otherwise always takes the same
// time. On an H200's host a loop of 40 cuBLAS calls took 320 to 370 us while a piece of arithmetic
// took 21 to 24 us, and 390 to 520 us while it took 25 to 33 us (2026-11-21).
class Neighbours {
 public:
  // What is asked; either may be empty. The core: seconds of a piece of arithmetic. Memory:
  // bytes/s, for so many bytes; may throw std::bad_alloc, and is not asked again.
  struct Probes {
    std::function<double()> core;
    std::function<double(double bytes)> memory;
  };
  static double core_seconds();  // what the core is asked: the best of three tries
  // An accelerator waits for its host's core; a CPU's rows wait for its memory.
  static Probes probes_of(Backend& backend);

  explicit Neighbours(Probes probes) : probes_(std::move(probes)) {}

  // A turn: begin() looks whether the core is free, check() looks again, quiet() tells whether it
  // was each time. (Waiting until it is free changed no verdict on an H200's host.) Where rows move
  // much, `bytes`, begin() asks memory, too.
  void begin(double bytes);
  void check();
  bool quiet() const { return quiet_; }

  // Bytes/s: the median of the turns since the last call; 0 where memory was not asked.
  double take_memory();

  // Whether the core's probe, now, takes 15 % longer than it can: the 2 % quantile of all so far,
  // for a clock that was faster for a moment must not make all that follows look slow.
  bool slowed();

 private:
  Probes probes_;
  std::vector<double> seconds_;  // of the core's probe, sorted
  std::vector<double> memory_;
  bool quiet_ = true;
};

}  // namespace wb
