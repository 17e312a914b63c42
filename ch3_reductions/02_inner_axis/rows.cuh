// What the GPU variants share: a view of rows, and the operation and type of a case.
#pragma once

#include "../shared/launch.cuh"
#include "../shared/operations.h"
#include "inner_axis.h"
#include "wb/half.cuh"

namespace {

template <class T> struct Rows {
  const T* x;
  T* y;
  i64 rows, columns, stride;
  float divisor;  // of means; else 1

  __device__ const T* begin(i64 row) const { return x + row * stride; }
  __device__ void finish(i64 row, float value) const {
    y[row] = wb::from_float<T>(divisor == 1 ? value : value / divisor);
  }
};

// f(op, rows) for the operation and the type of this case; not where there are no rows.
template <class F> void with_rows(const InnerAxis::Args& p, F f) {
  if (p.rows == 0) return;
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = wb::DeviceType<decltype(zero)>;
    const Rows<T> rows{static_cast<const T*>(p.x),
                       static_cast<T*>(p.y),
                       p.rows,
                       p.columns,
                       p.stride,
                       p.op == Operation::mean ? static_cast<float>(p.columns) : 1.0f};
    p.op == Operation::max ? f(Maximum{}, rows) : f(Plus{}, rows);
    WB_CHECK(cudaGetLastError());
  });
}

}  // namespace
