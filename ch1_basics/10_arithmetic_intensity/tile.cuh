// A block's tile of elements, in the registers of its threads and 16 bytes per access.
#pragma once

#include "arithmetic_intensity.h"
#include "wb/cuda.h"

namespace {

constexpr int kThreads = 256;
constexpr int kQuads = 8;  // float4 per thread: 128 bytes in flight, 32 chains
constexpr int kValues = 4 * kQuads;
constexpr int kTile = kThreads * kValues;  // elements per block

// The element with which this thread's q-th float4 starts. Neighbouring lanes take neighbouring
// float4, a load of a warp is 512 bytes in a row.
__device__ wb::i64 element(int q) {
  return static_cast<wb::i64>(blockIdx.x) * kTile + 4 * (q * kThreads + threadIdx.x);
}
__device__ bool whole_tile(wb::i64 n) { return (blockIdx.x + wb::i64{1}) * kTile <= n; }

__device__ void load(const float* in, wb::i64 n, float (&value)[kValues]) {
  if (whole_tile(n)) {
#pragma unroll
    for (int q = 0; q < kQuads; ++q) {
      const float4 v = *reinterpret_cast<const float4*>(in + element(q));
      value[4 * q] = v.x, value[4 * q + 1] = v.y, value[4 * q + 2] = v.z, value[4 * q + 3] = v.w;
    }
  } else {  // the last tile
#pragma unroll
    for (int i = 0; i < kValues; ++i)
      value[i] = element(i / 4) + i % 4 < n ? in[element(i / 4) + i % 4] : 0;
  }
}

__device__ void store(float* out, wb::i64 n, const float (&value)[kValues]) {
  if (whole_tile(n)) {
#pragma unroll
    for (int q = 0; q < kQuads; ++q)
      *reinterpret_cast<float4*>(out + element(q)) = {value[4 * q], value[4 * q + 1],
                                                      value[4 * q + 2], value[4 * q + 3]};
  } else {
#pragma unroll
    for (int i = 0; i < kValues; ++i)
      if (element(i / 4) + i % 4 < n) out[element(i / 4) + i % 4] = value[i];
  }
}

}  // namespace
