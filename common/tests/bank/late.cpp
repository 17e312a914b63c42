// CPU variants whose threads go on after the call has returned.
#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "bank/wrong.h"

namespace {

using namespace std::chrono_literals;
using Args = Wrong::Args;
using wb::i64;

void compute(const Args& p) {
  for (i64 i = 0; i < p.n; ++i) Wrong::element(p, i);
}

// The CPU's side stream. The thread of one launch is joined in the next.
auto in_a_thread(const Args& p, std::chrono::milliseconds delay) {
  return [p, delay, worker = std::jthread()]() mutable {
    worker = std::jthread([p, delay] {
      if (delay > 0ms) std::this_thread::sleep_for(delay);
      compute(p);
    });
  };
}
auto thread_not_joined(const Args& p) { return in_a_thread(p, 0ms); }
auto thread_after_a_sleep(const Args& p) { return in_a_thread(p, 20ms); }
WB_BANK(Wrong, thread_not_joined, wrong);
WB_BANK(Wrong, thread_after_a_sleep, wrong);

auto spoilt_later(const Args& p) {
  return [p, workers = std::vector<std::jthread>()]() mutable {
    compute(p);
    if (workers.size() == 64) workers.clear();
    workers.emplace_back([p] {
      std::this_thread::sleep_for(1ms);
      std::fill_n(p.z, p.n, 0.0f);
    });
  };
}
WB_BANK(Wrong, spoilt_later, wrong);

auto leaves_a_thread_spinning(const Args& p) {
  return [p, worker = std::jthread()]() mutable {
    compute(p);
    if (!worker.joinable())
      worker = std::jthread([](const std::stop_token& stop) {
        while (!stop.stop_requested()) continue;
      });
  };
}
WB_BANK(Wrong, leaves_a_thread_spinning, wrong);

}  // namespace
