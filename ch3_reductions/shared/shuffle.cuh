// The values of a warp or of a block become one, by shuffles. A shuffle gives a register's value to
// another lane, without shared memory and without a barrier.
#pragma once

#include "operations.h"

namespace {

constexpr int kWarp = 32;

// Over the lanes whose numbers differ in the bits below `lanes`, a power of two. Each of them gets
// the result. All lanes of the warp must be here.
template <class Op> __device__ float warp_reduce(float value, int lanes = kWarp) {
#pragma unroll
  for (int distance = lanes / 2; distance > 0; distance /= 2)
    value = Op::combine(value, __shfl_xor_sync(0xFFFF'FFFFu, value, distance));
  return value;
}

// Over a block of whole warps, all of them here; warp 0 gets the result. One barrier. A kernel that
// does it a second time for the same operation needs another one between: else a fast warp would
// overwrite what warp 0 still reads.
template <class Op> __device__ float block_reduce(float value) {
  __shared__ float of_warp[kWarp];
  const int warps = static_cast<int>(blockDim.x) / kWarp;
  value = warp_reduce<Op>(value);
  if (threadIdx.x % kWarp == 0) of_warp[threadIdx.x / kWarp] = value;
  __syncthreads();
  if (threadIdx.x >= kWarp) return value;  // warp 0 alone goes on
  return warp_reduce<Op>(threadIdx.x < warps ? of_warp[threadIdx.x] : Op::identity());
}

}  // namespace
