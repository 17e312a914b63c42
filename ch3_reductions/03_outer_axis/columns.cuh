// What the GPU variants share: a view of the matrix, and the operation and type of a case.
#pragma once

#include "../shared/launch.cuh"
#include "../shared/operations.h"
#include "outer_axis.h"
#include "wb/half.cuh"

namespace {

template <class T> struct Columns {
  const T* x;
  T* y;
  i64 rows, columns, stride;
  float divisor;  // of means; else 1

  __device__ float at(i64 row, i64 column) const { return wb::to_float(x[row * stride + column]); }
  __device__ void finish(i64 column, float value) const {
    y[column] = wb::from_float<T>(divisor == 1 ? value : value / divisor);
  }
};

// f(op, columns) for the operation and the type of this case; not where there are no columns.
template <class F> void with_columns(const OuterAxis::Args& p, F f) {
  if (p.columns == 0) return;
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = wb::DeviceType<decltype(zero)>;
    const Columns<T> columns{static_cast<const T*>(p.x),
                             static_cast<T*>(p.y),
                             p.rows,
                             p.columns,
                             p.stride,
                             p.op == Operation::mean ? static_cast<float>(p.rows) : 1.0f};
    p.op == Operation::max ? f(Maximum{}, columns) : f(Plus{}, columns);
    WB_CHECK(cudaGetLastError());
  });
}

}  // namespace
