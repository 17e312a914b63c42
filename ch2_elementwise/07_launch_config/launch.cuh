// From a case to a launch, for the GPU variants.
#pragma once

#include <algorithm>
#include <type_traits>

#include "launch_config.h"
#include "wb/cuda.h"

namespace {

inline int device_attribute(cudaDeviceAttr attribute) {
  int device = 0, value = 0;
  WB_CHECK(cudaGetDevice(&device));
  WB_CHECK(cudaDeviceGetAttribute(&value, attribute, device));
  return value;
}
inline int multiprocessors() { return device_attribute(cudaDevAttrMultiProcessorCount); }

// Threads per block, as the case says; only whole warps up to the limit of a block.
inline unsigned threads(const LaunchConfig::Args& p) {
  return static_cast<unsigned>(std::clamp<wb::i64>((p.block + 31) / 32 * 32, 32, 1024));
}

// How many tiles of `tile` elements there are.
inline unsigned tiles(wb::i64 n, wb::i64 tile) {
  return static_cast<unsigned>((n + tile - 1) / tile);
}
// A block for each of them; or `p.resident` blocks per multiprocessor, each of which then takes
// several tiles.
inline unsigned blocks(const LaunchConfig::Args& p, wb::i64 tile, int multiprocessors) {
  const wb::i64 wave = p.resident > 0 ? p.resident * multiprocessors : tiles(p.n, tile);
  return std::min(tiles(p.n, tile), static_cast<unsigned>(wave));
}

// A number that a generic lambda can take as a template argument.
template <int kNumber> constexpr std::integral_constant<int, kNumber> number;

// f(number<items>), where items is a power of two up to 32: what a kernel holds in registers must
// be known when it is compiled.
template <class F> void with_items(wb::i64 items, F f) {
  if (items >= 32)
    f(number<32>);
  else if (items >= 16)
    f(number<16>);
  else if (items >= 8)
    f(number<8>);
  else if (items >= 4)
    f(number<4>);
  else if (items >= 2)
    f(number<2>);
  else
    f(number<1>);
}

// kQuads float4 per thread, all in flight before the first is stored, and a block's tile of them.
template <int kQuads>
__global__ void __launch_bounds__(1024) scale_quads(wb::i64 n, float a, const float* x, float* y) {
  const wb::i64 tile = wb::i64{4} * kQuads * blockDim.x;
  for (wb::i64 start = blockIdx.x * tile; start < n; start += gridDim.x * tile) {
    if (start + tile <= n) {
      const float4* from = reinterpret_cast<const float4*>(x + start) + threadIdx.x;
      float4* to = reinterpret_cast<float4*>(y + start) + threadIdx.x;
      float4 value[kQuads];
#pragma unroll
      for (int q = 0; q < kQuads; ++q) value[q] = from[q * blockDim.x];
#pragma unroll
      for (int q = 0; q < kQuads; ++q) {
        const float4 v = value[q];
        to[q * blockDim.x] = {a * v.x, a * v.y, a * v.z, a * v.w};
      }
    } else {  // the last tile
      for (wb::i64 i = start + threadIdx.x; i < n; i += blockDim.x) y[i] = a * x[i];
    }
  }
}

}  // namespace
