// Against step 1: one loader thread for the whole recording, and three buffers, so that the loader
// may run two chunks ahead and neither thread waits for the other's hiccups. Two counters say which
// buffers are full; a thread that finds none to work on sleeps.
//
// Predict: all that is left is the slower stage, plus loading the first chunk. Is there a chunk
// size that is too large?
#include <array>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "stages.h"

namespace {

// How many chunks a stage has finished.
class Progress {
 public:
  void advance() {
    {
      const std::lock_guard lock(mutex_);
      ++finished_;
    }
    changed_.notify_one();
  }
  void wait_for(wb::i64 chunks) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return finished_ >= chunks; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  wb::i64 finished_ = 0;
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
