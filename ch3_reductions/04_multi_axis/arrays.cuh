// What the CUDA variants share: the arrays of a case, and its operation and type as templates.
#pragma once

#include "../reduce_axes/operations.cuh"
#include "multi_axis.h"

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
    p.op == Operation::max ? f(Max(), a) : f(Sum(), a);
    WB_CHECK(cudaGetLastError());
  });
}

inline unsigned blocks(i64 n, i64 per_block) {
  return static_cast<unsigned>((n + per_block - 1) / per_block);
}

}  // namespace
