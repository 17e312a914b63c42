// Changes against baseline: neighbouring axes that are both kept or both reduced are one
// (collapse() in plan.h), and the odometer counts runs of the innermost group. Inside a run is a
// plain loop that the compiler makes vectors of: into one result with many accumulators, or into
// neighbouring results. (In the baseline all instructions but two loads, an addition and a store
// find out where an element belongs. Additions wait for each other where the last axis is reduced,
// because they go to one sum.)
//
// Predict: a run of (0,2) in 32x64x32x128 has 128 elements. What is the factor?
#include <vector>

#include "../reduce_axes/plan.h"
#include "arrays.h"

namespace {

auto make(const MultiAxis::Args& p) {
  const Collapsed c = collapse(p.shape);
  return [p, c, sums = std::vector<float>(p.shape.results())]() mutable {
    with_arrays(p, [&](auto op, auto a) {
      const i64 run = c.count ? c.group[c.count - 1].size : 1;
      i64 step[kMostAxes], apart = 1;
      for (int g = c.count - 1; g >= 0; --g) {
        step[g] = c.group[g].reduced ? 0 : apart;
        if (!c.group[g].reduced) apart *= c.group[g].size;
      }
      std::fill(sums.begin(), sums.end(), op.identity());
      i64 at[kMostAxes] = {}, result = 0;
      for (i64 i = 0; i < a.elements; i += run) {
        float* const to = sums.data() + result;
        if (c.rows())
          *to = op.combine(*to, over_span<decltype(op)>(a.x + i, run));
        else
          for (i64 j = 0; j < run; ++j) to[j] = op.combine(to[j], wb::to_float(a.x[i + j]));
        for (int g = c.count - 2; g >= 0; --g) {
          result += step[g];
          if (++at[g] < c.group[g].size) break;
          result -= step[g] * c.group[g].size;
          at[g] = 0;
        }
      }
      a.finish(sums.data());
    });
  };
}

}  // namespace

WB_CPU(MultiAxis, step1_collapsed, make);
