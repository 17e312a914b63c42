// The function that is called, the same in every variant: this lesson is about where it writes.
#pragma once

#include <cstdint>

#include "in_place.h"
#include "wb/cuda.h"

namespace {

constexpr int kThreads = 256;

__device__ inline float4 leaky_relu4(float4 v) {
  return {leaky_relu(v.x), leaky_relu(v.y), leaky_relu(v.z), leaky_relu(v.w)};
}

// kQuads float4 per thread, a block's width apart. `to` may be `from`: a thread reads its elements
// before it writes them, and reads no others. (So neither pointer may be __restrict__, which
// promises that the arrays are not the same.)
template <int kQuads>
__global__ void __launch_bounds__(kThreads)
    leaky_relu_kernel(const float* from, float* to, wb::i64 count) {
  constexpr wb::i64 kTile = wb::i64{kThreads} * kQuads * 4;
  const wb::i64 tile = blockIdx.x * kTile;
  if (tile + kTile <= count) {
    const float4* in = reinterpret_cast<const float4*>(from + tile) + threadIdx.x;
    float4* out = reinterpret_cast<float4*>(to + tile) + threadIdx.x;
    float4 v[kQuads];
#pragma unroll
    for (int i = 0; i < kQuads; ++i) v[i] = in[i * kThreads];
#pragma unroll
    for (int i = 0; i < kQuads; ++i) out[i * kThreads] = leaky_relu4(v[i]);
  } else {  // the last tile
    for (wb::i64 i = tile + threadIdx.x; i < count; i += kThreads) to[i] = leaky_relu(from[i]);
  }
}

// Both pointers are aligned to 16 bytes, as everything is that comes from an allocation.
inline void call(const float* from, float* to, wb::i64 count, cudaStream_t stream) {
  if (count == 0) return;
  const auto launch = [&](auto kernel, wb::i64 tile) {
    kernel<<<(count + tile - 1) / tile, kThreads, 0, stream>>>(from, to, count);
  };
  // Four loads per thread help where the array fits into L2 and is still a few waves of blocks.
  // Smaller ones need all their blocks, and with larger ones there is always a next block to start.
  if (count >= 1 << 21 && count <= 1 << 23)
    launch(leaky_relu_kernel<4>, kThreads * 16);
  else
    launch(leaky_relu_kernel<1>, kThreads * 4);
  WB_CHECK(cudaGetLastError());
}

}  // namespace
