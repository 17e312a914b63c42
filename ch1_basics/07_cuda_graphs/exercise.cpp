// A sensor at point 0 is read after each step (Sensed). One team per run, and after each step it
// meets at a barrier as textbooks have it: a lock, a counter and a condition variable. It is right,
// and a thread that waits is put to sleep. It could go on a microsecond later, but waking it takes
// many.
//
// TODO: a share of the ring has two neighbours, and needs nothing of the other shares. Let each
//       member publish how many steps it has finished, in an atomic counter, and wait for its two
//       neighbours only, looking for a while before it gives the core to other threads.
// Goal: 15 times baseline at points=16384,steps=200
// Hints are in README.md.
#include <omp.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "steps.h"

namespace {

class Barrier {
 public:
  explicit Barrier(int members) : members_(members) {}
  void arrive_and_wait() {
    std::unique_lock lock(mutex_);
    const int meeting = finished_;
    if (++arrived_ == members_) {
      arrived_ = 0;
      ++finished_;
      all_here_.notify_all();
    } else {
      all_here_.wait(lock, [&] { return finished_ != meeting; });
    }
  }

 private:
  const int members_;
  std::mutex mutex_;
  std::condition_variable all_here_;
  int arrived_ = 0, finished_ = 0;  // members, barriers
};

auto make(const Sensed::Args& p) {
  return [p, scratch = std::vector<float>(p.points)]() mutable {
    const int members = omp_get_max_threads();
    Barrier barrier(members);
    std::vector<std::jthread> team;
    for (int member = 0; member < members; ++member)
      team.emplace_back([&, member] {
        const wb::i64 first = share(p.points, member, members);
        const wb::i64 last = share(p.points, member + 1, members);
        for (wb::i64 step = 0; step < p.steps; ++step) {
          float* const to = p.target(step, p.steps, scratch.data());
          advance(p.points, p.source(step, p.steps, scratch.data()), to, first, last);
          if (first == 0 && last > 0) p.sensed[step] = to[0];
          barrier.arrive_and_wait();
        }
      });
  };
}

}  // namespace

WB_CPU(Sensed, exercise, make);
