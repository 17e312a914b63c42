// What the GPU variants share: a view of rows, the exponential, and reductions over a warp and over
// a block.
#pragma once

#include <cfloat>

#include "softmax.h"
#include "wb/cuda.h"
#include "wb/half.cuh"

namespace {

using wb::i64;

constexpr int kWarp = 32;

template <class T> struct Rows {
  const T* x;
  const T* dy;  // backward alone
  T* out;
  i64 rows, columns, stride;
};

// exp(x) as a power of 2, by the special function unit: off by 2 ulp at most, 0 where it would be
// below 2^-126. exp(-inf) is 0.
__device__ inline float exponential(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x * 1.44269504f));
  return y;
}

// Part of a row: its maximum, and the sum of exp(x - max). Parts of the same row add up, whatever
// their maxima: that is online softmax. (-inf, 0) is a part without elements. A NaN or inf among
// the elements makes the sum NaN, and it stays.
struct Part {
  float max, sum;
};

// exp(from - to). Where both are -inf that is 0, and not NaN as -inf - -inf would make it: there
// are no elements, or each is 0 beside those of another part.
__device__ inline float scale(float from, float to) {
  return exponential(from - fmaxf(to, -FLT_MAX));
}
__device__ inline Part combine(Part a, Part b) {
  const float max = fmaxf(a.max, b.max);
  return {max, a.sum * scale(a.max, max) + b.sum * scale(b.max, max)};
}
__device__ inline float combine(float a, float b) { return a + b; }  // of the backward pass

template <class P> __device__ P nothing();
template <> __device__ inline float nothing<float>() { return 0; }
template <> __device__ inline Part nothing<Part>() { return {-INFINITY, 0}; }

// Over the lanes whose numbers differ in the bits below `lanes`, a power of two. Each of them gets
// it. All lanes of the warp must be here.
__device__ inline float over_lanes(float sum, int lanes = kWarp) {
  for (int distance = lanes / 2; distance > 0; distance /= 2)
    sum += __shfl_xor_sync(0xFFFFFFFF, sum, distance);
  return sum;
}
__device__ inline Part over_lanes(Part part,
                                  int lanes = kWarp) {  // one exponential, not one a step
  float max = part.max;
  for (int distance = lanes / 2; distance > 0; distance /= 2)
    max = fmaxf(max, __shfl_xor_sync(0xFFFFFFFF, max, distance));
  return {max, over_lanes(part.sum * scale(part.max, max), lanes)};
}

// Over a block, for all of its threads. One barrier. `of_warp`: in shared memory, one per warp; the
// next use of it needs a barrier in between.
template <class P> __device__ P over_block(P own, P* of_warp) {
  const int lane = threadIdx.x % kWarp;
  own = over_lanes(own);
  if (lane == 0) of_warp[threadIdx.x / kWarp] = own;
  __syncthreads();
  return over_lanes(lane < blockDim.x / kWarp ? of_warp[lane] : nothing<P>());
}

// f(rows) for the type of this case; not where there is nothing to do.
template <class F> void with_rows(const Softmax::Args& p, F f) {
  if (p.rows == 0 || p.columns == 0) return;
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = wb::DeviceType<decltype(zero)>;
    f(Rows<T>{static_cast<const T*>(p.x), static_cast<const T*>(p.dy), static_cast<T*>(p.out),
              p.rows, p.columns, p.stride});
    WB_CHECK(cudaGetLastError());
  });
}

inline unsigned blocks(i64 n, i64 per_block) {
  return static_cast<unsigned>((n + per_block - 1) / per_block);
}

}  // namespace
