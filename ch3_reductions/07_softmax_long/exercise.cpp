// Exercise: log(sum of exp(x)) of each long row, as the loss of a large vocabulary needs it.
// Nothing else is written. A core has a row, and goes over it once as a thread of the GPU's
// baseline does: element by element, with the largest x so far and the sum relative to it. On a CPU
// that is a chain: each element waits for the sum of the one before it, and takes two exponentials.
// And if there is one row, all other cores wait.
//
// TODO 1: cut a row into pieces that a core's own cache keeps. First find a piece's maximum, then
//         the sum of its exponentials: both loops can become vector instructions.
// TODO 2: merge the pairs of a row. Which merge is right where a piece has only -inf?
// TODO 3: let all cores share the pieces of all rows.
// Goal: 1.1 times optimized at op=softmax,dtype=fp32,rows=1,columns=16777216
// Hints are in README.md.
#include <cfloat>

#include "../softmax/passes.h"
#include "softmax_long.h"

namespace {

template <class T> float log_sum_of(const T* x, i64 columns) {
  float max = -kInfinity;
  double sum = 0;  // of up to 16 Mi numbers, one after the other: a float would lose the last ones
  for (i64 i = 0; i < columns; ++i) {
    const float value = widen(x[i]);
    if (value > max) {
      // In a row that rises, every number comes here, and errors of a float would add up.
      sum = sum * std::exp(static_cast<double>(max) - value) + exponential(value - value);
      max = value;
    } else {
      sum += exponential(value - std::max(max, -FLT_MAX));  // -inf - -inf would make NaN
    }
  }
  return static_cast<float>(max + std::log(sum));
}

void run(const LogSum::Args& p) {
  with_rows(p, [&](auto r) {
#pragma omp parallel for schedule(static)
    for (i64 row = 0; row < r.rows; ++row)
      p.log_sums[row] = log_sum_of(r.x + row * r.stride, r.columns);
  });
}

}  // namespace

WB_CPU(LogSum, exercise, run);
