#include "measure/host_speed.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace wb {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Enough independent work to need most of what a core can do in a cycle.
double arithmetic() {
  const auto start = Clock::now();
  unsigned a = 1, b = 2, c = 3, d = 4;
  for (unsigned i = 0; i < 20000; ++i) {
    a = a * 3 + i;
    b = b * 5 + i;
    c = (c >> 3) ^ i;
    d += c & a;
  }
  [[maybe_unused]] static volatile unsigned result;
  result = a ^ b ^ c ^ d;
  return seconds_since(start);
}

}  // namespace

bool HostSpeed::slowed() {
  if (!probe_) return false;
  const double seconds = probe_();
  seconds_.insert(std::upper_bound(seconds_.begin(), seconds_.end(), seconds), seconds);
  return seconds > 1.15 * seconds_[seconds_.size() / 50];
}

void HostSpeed::begin() {
  const auto start = Clock::now();
  free_ = !slowed();
  while (!free_ && seconds_since(start) < patience_) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    free_ = !slowed();
  }
  patience_ = std::max(0.0, patience_ - seconds_since(start));
  last_ = Clock::now();
}

void HostSpeed::check() {
  patience_ += 0.1 * seconds_since(last_);
  free_ = !slowed() && free_;
  last_ = Clock::now();
}

double probe_this_core() {
  double best = arithmetic();
  for (int i = 0; i < 2; ++i) best = std::min(best, arithmetic());
  return best;
}

}  // namespace wb
