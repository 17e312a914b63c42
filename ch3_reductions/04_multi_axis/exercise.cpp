// Exercise: all cores share the results, and for each element of a result the coordinates are
// worked out by division and remainder.
//
// TODO 1: write the plan: drop axes of size 1, and make one group of neighbours that are both kept
//         or both reduced. Then few divisions are left, and none inside the innermost group.
// TODO 2: where the innermost group is kept, let a task have all of its columns, with an array of
//         accumulators and a plain loop over it: the compiler makes vectors of that.
// TODO 3: where it is reduced, give a result many accumulators, for an addition waits for the one
//         before it.
// Goal: at most 2 times as long as optimized at op=sum,dtype=fp32,shape=32x64x32x128,axes=0,2
// Hints are in README.md.
#include "arrays.h"

namespace {

// The offset of the index'th place of all kept axes, or of all reduced ones.
i64 offset(const Shape& s, bool reduced, i64 index) {
  i64 at = 0, stride = 1;
  for (int a = s.rank - 1; a >= 0; stride *= s.size[a--])
    if (s.reduced[a] == reduced) at += index % s.size[a] * stride, index /= s.size[a];
  return at;
}

void run(const MultiAxis::Args& p) {
  with_arrays(p, [&](auto op, auto a) {
    const i64 steps = p.shape.per_result();
#pragma omp parallel for schedule(static)
    for (i64 result = 0; result < a.results; ++result) {
      const auto* x = a.x + offset(p.shape, false, result);
      float value = op.identity();
      for (i64 i = 0; i < steps; ++i)
        value = op.combine(value, wb::to_float(x[offset(p.shape, true, i)]));
      a.finish(result, value);
    }
  });
}

}  // namespace

WB_CPU(MultiAxis, exercise, run);
