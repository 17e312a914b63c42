// The gradient as its definition says it: set it to 0, and add each element of x to its place,
// which an odometer keeps track of. One core.
//
// Predict: to 4096, neighbours go to neighbouring places; to 4096x1, all of a row to one. Which is
// faster?
#include <vector>

#include "arrays.h"

namespace {

auto make(const SumToShape::Args& p) {
  return [p, sum = std::vector<float>(p.shape.results())]() mutable {
    with_arrays(p, [&](auto a) {
      std::fill(sum.begin(), sum.end(), 0.0f);
      Odometer at(p.shape, 0);
      for (i64 i = 0; i < a.elements; ++i, at.next()) sum[at.place()] += wb::to_float(a.x[i]);
      a.store(sum.data());
    });
  };
}

}  // namespace

WB_CPU(SumToShape, baseline, make);
