// Softmax and norms make one value of a row: over the lanes of a warp by shuffles, over the warps
// of a block through shared memory.
#pragma once

#include "launch.cuh"
#include "shuffle.cuh"

namespace {

// The sum over the lanes whose numbers differ in the bits below `lanes`, a power of two; each of
// them gets it, with the same bits. All lanes of the warp must be here.
__device__ inline float over_warp(float sum, int lanes = kWarp) {
  return warp_reduce<Plus>(sum, lanes);
}
__device__ inline float2 over_warp(float2 sums) { return {over_warp(sums.x), over_warp(sums.y)}; }

// The same over a block, by the over_warp of V: a sum, or what another header makes one value of.
// One barrier. `of_warp` is in shared memory, kWarp long; the next use of it needs a barrier in
// between. `none` is what changes nothing.
template <class V> __device__ V over_block(V own, V* of_warp, V none = V{}) {
  const int lane = threadIdx.x % kWarp;
  own = over_warp(own);
  if (lane == 0) of_warp[threadIdx.x / kWarp] = own;
  __syncthreads();
  return over_warp(lane < blockDim.x / kWarp ? of_warp[lane] : none);
}

inline int attribute(cudaDeviceAttr name) {
  int device = 0, value = 0;
  WB_CHECK(cudaGetDevice(&device));
  WB_CHECK(cudaDeviceGetAttribute(&value, name, device));
  return value;
}

}  // namespace
