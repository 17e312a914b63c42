// What the GPU variants share: a view of rows, the operations, and a sum over a warp.
#pragma once

#include <type_traits>

#include "inner_axis.h"
#include "wb/cuda.h"
#include "wb/half.cuh"

namespace {

using wb::i64;

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

// Over the lanes whose numbers differ in the bits below `lanes`, a power of two. Each of them gets
// it. All lanes of the warp must be here.
template <class Op> __device__ float over_lanes(float value, int lanes = 32) {
  for (int distance = lanes / 2; distance > 0; distance /= 2)
    value = Op::combine(value, __shfl_xor_sync(0xFFFFFFFF, value, distance));
  return value;
}

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
    p.op == Operation::max ? f(Max{}, rows) : f(Sum{}, rows);
    WB_CHECK(cudaGetLastError());
  });
}

inline unsigned blocks(i64 n, i64 per_block) {
  return static_cast<unsigned>((n + per_block - 1) / per_block);
}

}  // namespace
