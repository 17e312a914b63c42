// Sums that wait less than over_warp and over_block do, how many blocks a multiprocessor holds, and
// how arrays are aligned.
#pragma once

#include "../norms.cuh"
#include "plan.h"

namespace {

// Blocks of 512 that a multiprocessor must have registers for where threads have few elements: all
// that it can hold. Four leave 32 registers per thread.
constexpr int kHeld = kResidentThreads / 512;

// over_block for a block of up to 512 threads that is alone on its multiprocessor, where every wait
// shows. Each thread loads the sums of all warps: these loads do not wait for each other, while
// five shuffles do.
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

// Over the warp, kCount sums, for all its lanes.
template <int kCount> __device__ void sums_over_warp(float (&value)[kCount]) {
  const float own = shared_over_warp(value);
#pragma unroll
  for (int i = 0; i < kCount; ++i) value[i] = __shfl_sync(0xFFFFFFFF, own, i * (kWarp / kCount));
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

__host__ __device__ inline std::uintptr_t address(const void* of) {
  return reinterpret_cast<std::uintptr_t>(of);
}

// Whether each row of each array begins and ends at a multiple of `unit` bytes, a power of two.
inline bool aligned(const NormRows::Args& p, std::uintptr_t unit) {
  const auto bytes = static_cast<i64>(NormRows::element_bytes(p.dtype));
  std::uintptr_t all = static_cast<std::uintptr_t>(p.columns * bytes | p.stride * bytes);
  for (const void* array :
       {p.x, p.weight, p.bias, p.dy, static_cast<const void*>(p.y), static_cast<const void*>(p.dx)})
    all |= address(array);
  return all % unit == 0;
}

}  // namespace
