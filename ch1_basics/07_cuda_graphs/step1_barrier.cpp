// Against the baseline: the threads start once and go through all steps. After each they meet at a
// barrier of the standard library.
//
// Predict: a thread that waits there may be put to sleep, and has to be woken. What does a step
// cost now?
#include <omp.h>

#include <barrier>
#include <thread>

#include "steps.h"

namespace {

auto make(const CudaGraphs::Args& p) {
  return [p, scratch = std::vector<float>(p.points)]() mutable {
    const int members = omp_get_max_threads();
    std::barrier meeting(members);
    std::vector<std::jthread> team;
    for (int member = 0; member < members; ++member)
      team.emplace_back([&, member] {
        for (wb::i64 step = 0; step < p.steps; ++step) {
          advance(p.points, p.source(step, p.steps, scratch.data()),
                  p.target(step, p.steps, scratch.data()), share(p.points, member, members),
                  share(p.points, member + 1, members));
          meeting.arrive_and_wait();
        }
      });
  };
}

}  // namespace

WB_CPU(CudaGraphs, step1_barrier, make);
