// All elements in the order of memory, each added to its result: the loop that one writes first. An
// odometer counts the coordinates and keeps track of the result, so nothing is divided.
//
// Predict: how many of the instructions for an element find out where it belongs? And for which
// axes does each addition wait for the one before it?
#include <vector>

#include "arrays.h"

namespace {

auto make(const MultiAxis::Args& p) {
  return [p, sums = std::vector<float>(p.shape.results())]() mutable {
    with_arrays(p, [&](auto op, auto a) {
      const Shape& s = p.shape;
      i64 step[kMostAxes], apart = 1;  // from a result to the next along an axis
      for (int axis = s.rank - 1; axis >= 0; --axis) {
        step[axis] = s.reduced[axis] ? 0 : apart;
        if (!s.reduced[axis]) apart *= s.size[axis];
      }
      std::fill(sums.begin(), sums.end(), op.identity());
      i64 at[kMostAxes] = {}, result = 0;
      for (i64 i = 0; i < a.elements; ++i) {
        sums[result] = op.combine(sums[result], wb::to_float(a.x[i]));
        for (int axis = s.rank - 1; axis >= 0; --axis) {
          result += step[axis];
          if (++at[axis] < s.size[axis]) break;
          result -= step[axis] * s.size[axis];
          at[axis] = 0;
        }
      }
      a.finish(sums.data());
    });
  };
}

}  // namespace

WB_CPU(MultiAxis, baseline, make);
