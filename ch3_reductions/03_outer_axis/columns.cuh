// What the GPU variants share: a view of the matrix, and the operations.
#pragma once

#include <type_traits>

#include "outer_axis.h"
#include "wb/cuda.h"
#include "wb/half.cuh"

namespace {

using wb::i64;

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

struct Sum {
  static __device__ float identity() { return 0; }
  static __device__ float combine(float a, float b) { return a + b; }
};

// A NaN is the maximum of whatever it is among, as in PyTorch. fmaxf would lose it.
struct Max {
  static __device__ float identity() { return -INFINITY; }
  static __device__ float combine(float a, float b) {
#if __CUDA_ARCH__ >= 800
    float larger;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(a), "f"(b));
    return larger;
#else
    return b > a || b != b ? b : a;
#endif
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
    p.op == Operation::max ? f(Max{}, columns) : f(Sum{}, columns);
    WB_CHECK(cudaGetLastError());
  });
}

inline unsigned blocks(i64 n, i64 per_block) {
  return static_cast<unsigned>((n + per_block - 1) / per_block);
}

}  // namespace
