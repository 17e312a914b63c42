// Against step 1: one loader thread for the whole recording, and three buffers, so that the loader
// may run two chunks ahead and neither thread waits when the other is late for a moment. Two
// counters say which buffers are full. A thread that finds none looks again for a while before it
// sleeps: to wake a thread up takes long, and the operating system often wakes it on the core of
// the thread that calls it.
//
// Predict: all that is left is the slower stage, plus loading the first chunk. Is there a chunk
// size that is too large?
#include <array>
#include <atomic>
#include <thread>

#include "stages.h"

namespace {

// How many chunks a stage has finished.
class Progress {
 public:
  void advance() {
    finished_.fetch_add(1, std::memory_order_release);
    finished_.notify_one();
  }
  void wait_for(wb::i64 chunks) {
    wb::i64 seen;
    for (int looks = 0; (seen = finished_.load(std::memory_order_acquire)) < chunks; ++looks) {
      if (looks < 1000)
        std::this_thread::yield();
      else
        finished_.wait(seen);
    }
  }

 private:
  std::atomic<wb::i64> finished_ = 0;
};

auto make(const DoubleBuffering::Args& p) {
  const std::vector<float> buffer(p.largest());
  return [p, buffers = std::array{buffer, buffer, buffer}]() mutable {
    Progress loaded, computed;
    const wb::i64 count = buffers.size();
    std::jthread loader([&] {
      for (wb::i64 i = 0; i < p.chunks(); ++i) {
        computed.wait_for(i - count + 1);  // chunk i - count has left this buffer
        load(p, i, buffers[i % count].data());
        loaded.advance();
      }
    });
    for (wb::i64 i = 0; i < p.chunks(); ++i) {
      loaded.wait_for(i + 1);
      compute(p, i, buffers[i % count].data());
      computed.advance();
    }
  };
}

}  // namespace

WB_CPU(DoubleBuffering, optimized, make);
