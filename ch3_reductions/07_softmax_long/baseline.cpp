// A core per row, and three passes, as in 06_softmax: the maximum; the exponentials, which go to a
// buffer as long as the row, with their sum; and the quotients.
//
// Predict: a row of 1 Mi floats and its buffer are 8 MiB. How many times does the row come from
// memory, and how many times the buffer? And how many cores have work, if there is one row?
#include <omp.h>

#include <vector>

#include "../softmax/passes.h"
#include "softmax_long.h"

namespace {

using Buffers = std::vector<std::vector<float>>;  // of each core; they stay from run to run

auto make(const SoftmaxLong::Args& p) {
  return [p, buffers = Buffers()]() mutable {
    with_rows(p, [&](auto r) {
      buffers.resize(std::max<std::size_t>(buffers.size(), omp_get_max_threads()));
#pragma omp parallel for schedule(static)
      for (i64 row = 0; row < r.rows; ++row) {
        std::vector<float>& kept = buffers[omp_get_thread_num()];
        kept.resize(r.columns);
        const auto* x = r.x + row * r.stride;
        const float sum = exponentials(x, maximum(x, r.columns), kept.data(), r.columns);
        scaled(kept.data(), 1 / sum, r.out + row * r.stride, r.columns);
      }
    });
  };
}

}  // namespace

WB_CPU(SoftmaxLong, baseline, make);
WB_EXERCISE(LogSum);
