// A team of threads is started for each step, and the step is over when all have ended. The code is
// short and each step has the whole machine. To start a thread takes tens of microseconds.
//
// Predict: a step of 16,384 points takes a core about a microsecond. How much of the wall time is
// computing?
#include <omp.h>

#include <thread>

#include "steps.h"

namespace {

void advance_in_parallel(const CudaGraphs::Args& p, const float* from, float* to) {
  const int members = omp_get_max_threads();
  std::vector<std::jthread> team;  // joined at the end of this scope
  for (int member = 0; member < members; ++member)
    team.emplace_back([=] {
      advance(p.points, from, to, share(p.points, member, members),
              share(p.points, member + 1, members));
    });
}

auto make(const CudaGraphs::Args& p) {
  return [p, scratch = std::vector<float>(p.points)]() mutable {
    for (wb::i64 step = 0; step < p.steps; ++step)
      advance_in_parallel(p, p.source(step, p.steps, scratch.data()),
                          p.target(step, p.steps, scratch.data()));
  };
}

}  // namespace

WB_CPU(CudaGraphs, baseline, make);
WB_EXERCISE(Sensed);
