// What the GPU variants share: the arrays with their types, and sums over a warp and a block.
#pragma once

#include "layernorm.h"
#include "wb/cuda.h"
#include "wb/half.cuh"

namespace {

using wb::i64;

constexpr int kWarp = 32;

template <class T> struct Norm {
  const T *x, *weight, *bias;  // bias: null in RMSNorm
  const T* dy;
  const float *mean, *rstd;  // saved; mean: null in RMSNorm
  T *y, *dx, *dweight, *dbias;
  i64 rows, columns, stride;
  bool rms;
  // 1 / columns: a division is some twenty instructions, which may come to stand in front of the
  // first load.
  float share;

  __device__ const T* row_of_x(i64 row) const { return x + row * stride; }
  __device__ float rstd_of(float squares) const {  // of their sum over the row
    return rsqrtf(squares / static_cast<float>(columns) + LayerNorm::kEpsilon);
  }
  __device__ float y_of(float x, float mean, float rstd, float weight, float bias) const {
    return (x - mean) * rstd * weight + bias;
  }
  __device__ float saved_mean(i64 row) const { return mean ? mean[row] : 0; }
};

// Of a row in the backward pass: what its dx needs besides its own elements.
struct RowSums {
  float g, gx;  // of g = dy * weight, and of g * xhat; divided by the columns: their means
};

// Over the warp; all lanes get it, with the same bits. A float2 is two sums at a time.
__device__ inline float over_warp(float value) {
#pragma unroll
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    value += __shfl_xor_sync(0xFFFFFFFF, value, distance);
  return value;
}
__device__ inline float2 over_warp(float2 value) {
  return {over_warp(value.x), over_warp(value.y)};
}
// Of several values: none waits for the shuffles of the one before it.
template <int kCount> __device__ void each_over_warp(float (&value)[kCount]) {
#pragma unroll
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
#pragma unroll
    for (int i = 0; i < kCount; ++i) value[i] += __shfl_xor_sync(0xFFFFFFFF, value[i], distance);
}

// Over the block, for all its threads. One barrier: of two sums one behind the other each needs an
// array of its own.
template <class Sum> __device__ Sum over_block(Sum value, Sum (&of_warp)[kWarp]) {
  value = over_warp(value);
  if (threadIdx.x % kWarp == 0) of_warp[threadIdx.x / kWarp] = value;
  __syncthreads();
  const int warps = static_cast<int>(blockDim.x) / kWarp, lane = threadIdx.x % kWarp;
  return over_warp(lane < warps ? of_warp[lane] : Sum{});
}

// The same for a block of up to 512 threads with nothing else on its multiprocessor: every wait
// shows there: loads of what the warps have do not wait for each other, five shuffles do.
__device__ inline float over_few_warps(float value, float (&of_warp)[kWarp]) {
  value = over_warp(value);
  if (threadIdx.x % kWarp == 0) of_warp[threadIdx.x / kWarp] = value;
  __syncthreads();
  const int warps = static_cast<int>(blockDim.x) / kWarp;
  value = of_warp[0];
#pragma unroll
  for (int warp = 1; warp < 16; ++warp)
    if (warp < warps) value += of_warp[warp];
  return value;
}

// Over the warp, kCount sums, a power of two, for little more than the shuffles of one: at each of
// the first steps a lane hands over half of its sums and goes on with the others. Lane l gets sum
// number l / (kWarp / kCount).
template <int kCount> __device__ float shared_over_warp(float (&value)[kCount]) {
  int distance = kWarp / 2;
#pragma unroll
  for (int half = kCount / 2; half > 0; half /= 2, distance /= 2) {
    const bool upper = threadIdx.x & distance;
#pragma unroll
    for (int i = 0; i < half; ++i) {
      const float given = upper ? value[i] : value[i + half];
      value[i] =
          (upper ? value[i + half] : value[i]) + __shfl_xor_sync(0xFFFFFFFF, given, distance);
    }
  }
#pragma unroll
  for (; distance > 0; distance /= 2) value[0] += __shfl_xor_sync(0xFFFFFFFF, value[0], distance);
  return value[0];
}

// Over the block, kCount sums, for all its threads. One barrier, as in over_block.
template <int kCount>
__device__ void sums_over_block(float (&value)[kCount], float (&of_warp)[kCount][kWarp]) {
  constexpr int kLanes = kWarp / kCount;  // for each sum
  const int lane = threadIdx.x % kWarp, mine = lane / kLanes;
  const float own = shared_over_warp(value);
  if (lane % kLanes == 0) of_warp[mine][threadIdx.x / kWarp] = own;
  __syncthreads();
  const int warps = static_cast<int>(blockDim.x) / kWarp;
  float all = 0;
#pragma unroll
  for (int i = 0; i < kCount; ++i)
    if (const int warp = lane % kLanes + i * kLanes; warp < warps) all += of_warp[mine][warp];
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2)
    all += __shfl_xor_sync(0xFFFFFFFF, all, distance);
#pragma unroll
  for (int i = 0; i < kCount; ++i) value[i] = __shfl_sync(0xFFFFFFFF, all, i * kLanes);
}

inline unsigned blocks(i64 n, i64 per_block) {
  return static_cast<unsigned>((n + per_block - 1) / per_block);
}

// f(norm) for the type of this case; not where there is no element of y or dweight to write.
template <class F> void with_norm(const LayerNorm::Args& p, F f) {
  if (p.columns == 0 || (p.rows == 0 && !p.backward)) return;
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = wb::DeviceType<decltype(zero)>;
    const auto in = [](const void* array) { return static_cast<const T*>(array); };
    const auto out = [](void* array) { return static_cast<T*>(array); };
    f(Norm<T>{in(p.x), in(p.weight), in(p.bias), in(p.dy), p.mean, p.rstd, out(p.y), out(p.dx),
              out(p.dweight), out(p.dbias), p.rows, p.columns, p.stride, p.rms,
              1 / static_cast<float>(p.columns)});
    WB_CHECK(cudaGetLastError());
  });
}

}  // namespace
