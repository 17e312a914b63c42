// Changes against step 1: all cores (axes.h). Each task walks a part of x in the order of memory
// and has its own accumulators. Long rows of columns are taken four at a time. Where all parts
// have the same results, each has a copy of them.
//
// Predict: how many cores does it take to use up the memory bandwidth? And for which axes do tasks
// need copies?
#include "../reduce_axes/axes.h"
#include "arrays.h"

namespace {

template <class Op, class T> auto reduction(Op, const Arrays<T>&, const Shape& shape) {
  return Reduction<Op, T>(shape);
}

auto make(const MultiAxis::Args& p) {
  std::function<void()> run;
  with_arrays(p, [&](auto op, auto a) {
    run = [a, reduction = reduction(op, a, p.shape)]() mutable {
      reduction.run(a.x, a.y, a.divisor);
    };
  });
  return run;
}

std::string note(const MultiAxis::Args& p) {
  std::string text;
  with_arrays(p, [&](auto op, auto a) { text = reduction(op, a, p.shape).text(); });
  return text;
}

}  // namespace

WB_CPU(MultiAxis, optimized, make);
WB_CASE_NOTE(MultiAxis, note);
