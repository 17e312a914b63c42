// What the CPU variants share: the arrays of a case, and its operation and type as templates.
#pragma once

#include "../reduce_axes/operations.h"
#include "multi_axis.h"

namespace {

template <class T> struct Arrays {
  const T* x;
  T* y;
  i64 results, elements;
  float divisor;  // of means; else 1

  void finish(i64 result, float value) const { y[result] = wb::from_float<T>(value / divisor); }
  void finish(const float* value) const {
    for (i64 i = 0; i < results; ++i) finish(i, value[i]);
  }
};

// f(op, arrays) for the operation and the type of this case.
template <class F> void with_arrays(const MultiAxis::Args& p, F f) {
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = decltype(zero);
    const Arrays<T> a{static_cast<const T*>(p.x), static_cast<T*>(p.y), p.shape.results(),
                      p.shape.elements(),
                      p.op == Operation::mean ? static_cast<float>(p.shape.per_result()) : 1.0f};
    p.op == Operation::max ? f(Maximum{}, a) : f(Plus{}, a);
  });
}

}  // namespace
