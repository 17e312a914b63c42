// What the CUDA variants share: the arrays of a case, and its operation and type as templates.
#pragma once

#include "../shared/launch.cuh"
#include "../shared/operations.h"
#include "multi_axis.h"
#include "wb/half.cuh"

namespace {

template <class T> struct Arrays {
  const T* x;
  T* y;
  i64 results, per_result;
  float divisor;  // of means; else 1

  __device__ void finish(i64 result, float value) const {
    y[result] = wb::from_float<T>(divisor == 1 ? value : value / divisor);
  }
};

// f(op, arrays) for the operation and the type of this case; not where there are no results.
template <class F> void with_arrays(const MultiAxis::Args& p, F f) {
  if (p.shape.results() == 0) return;
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = wb::DeviceType<decltype(zero)>;
    const i64 n = p.shape.per_result();
    const Arrays<T> a{static_cast<const T*>(p.x), static_cast<T*>(p.y), p.shape.results(), n,
                      p.op == Operation::mean ? static_cast<float>(n) : 1.0f};
    p.op == Operation::max ? f(Maximum{}, a) : f(Plus{}, a);
    WB_CHECK(cudaGetLastError());
  });
}

}  // namespace
