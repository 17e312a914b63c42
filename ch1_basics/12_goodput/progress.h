// How two threads hand buffers to each other: each counts the steps that it has finished, and the
// other waits for the count that it needs.
#pragma once

#include <atomic>
#include <limits>
#include <thread>

#include "wb/problem.h"

class Progress {
 public:
  void advance() {
    finished_.fetch_add(1, std::memory_order_release);
    finished_.notify_all();
  }
  // To wake up a thread that sleeps takes long, so it looks again some times before it sleeps. One
  // that is well ahead may sleep at once, and leaves its core to other threads.
  void wait_for(wb::i64 steps, int most_looks = 1000) const {
    wb::i64 seen;
    for (int looks = 0; (seen = finished_.load(std::memory_order_acquire)) < steps; ++looks) {
      if (looks < most_looks)
        std::this_thread::yield();
      else
        finished_.wait(seen, std::memory_order_acquire);
    }
  }
  // No thread waits any more: the owner is being destroyed, or has failed.
  void give_up() {
    finished_.store(kGivenUp, std::memory_order_release);
    finished_.notify_all();
  }
  bool given_up() const { return finished_.load(std::memory_order_acquire) >= kGivenUp; }

 private:
  static constexpr wb::i64 kGivenUp = std::numeric_limits<wb::i64>::max() / 2;
  std::atomic<wb::i64> finished_ = 0;
};
