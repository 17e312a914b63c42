// The yardstick: OpenMP. Its team stays too; each parallel region wakes it, and ends in a barrier.
// How long a thread looks for work before it sleeps is set by OMP_WAIT_POLICY and, with GCC,
// GOMP_SPINCOUNT; the workbook lets it look for some microseconds.
#include <omp.h>

#include "steps.h"

namespace {

auto make(const CudaGraphs::Args& p) {
  return [p, scratch = std::vector<float>(p.points)]() mutable {
    for (wb::i64 step = 0; step < p.steps; ++step) {
      const float* from = p.source(step, p.steps, scratch.data());
      float* to = p.target(step, p.steps, scratch.data());
#pragma omp parallel
      {
        const int member = omp_get_thread_num(), members = omp_get_num_threads();
        advance(p.points, from, to, share(p.points, member, members),
                share(p.points, member + 1, members));
      }
    }
  };
}

}  // namespace

WB_CPU(CudaGraphs, library, make);
