// The exercise, solved with the tools of any textbook: a loader thread, three buffers, and two
// counts of buffers, guarded by a mutex. The loader takes a free buffer and gives back a full one;
// this thread takes a full one and gives back a free one. There are three buffers, so that a thread
// that is late by less than a chunk does not delay the other. Waking a thread takes longer here
// than in optimized.cpp, which looks for a while first.
#include <array>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "stages.h"

namespace {

// How many buffers are in some state: a semaphore. take() waits until there is one.
class Count {
 public:
  explicit Count(int buffers) : buffers_(buffers) {}
  void give() {
    {
      const std::lock_guard lock(mutex_);
      ++buffers_;
    }
    changed_.notify_one();
  }
  void take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return buffers_ > 0; });
    --buffers_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int buffers_;
};

auto make(const DoubleBuffering::Args& p) {
  const std::vector<float> buffer(p.largest());
  return [p, buffers = std::array{buffer, buffer, buffer}]() mutable {
    Count free(buffers.size()), full(0);
    std::jthread loader([&] {
      for (wb::i64 i = 0; i < p.chunks(); ++i) {
        free.take();
        load(p, i, buffers[i % buffers.size()].data());
        full.give();
      }
    });
    for (wb::i64 i = 0; i < p.chunks(); ++i) {
      full.take();
      compute(p, i, buffers[i % buffers.size()].data());
      free.give();
    }
  };
}

}  // namespace

WB_CPU(DoubleBuffering, solution, make);
