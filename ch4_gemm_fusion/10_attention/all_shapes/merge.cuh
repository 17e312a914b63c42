// What goes before and after attention, in memory: rows of whole 16 bytes, and one result of the
// splits of the keys.
#pragma once

#include "../types.cuh"

namespace warps {

constexpr int kPadThreads = 256, kMergeWarps = 16;  // of a block: at most so many

// Rows of `width` numbers become rows of `pitch`, with zeros after them. A thread makes 16 bytes.
template <class T>
__global__ void __launch_bounds__(kPadThreads)
    pad(wb::i64 pieces, int width, int pitch, const T* from, T* to) {
  const wb::i64 index = wb::i64{blockIdx.x} * kPadThreads + threadIdx.x;
  if (index >= pieces) return;
  const int of_row = pitch / 8, column = static_cast<int>(index % of_row) * 8;
  from += index / of_row * width + column;
  alignas(16) T piece[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) piece[i] = column + i < width ? from[i] : wb::from_float<T>(0);
  *reinterpret_cast<uint4*>(to + index * 8) = *reinterpret_cast<const uint4*>(piece);
}

// A block has a row, and each of its warps some of the splits. A split's sums count 2^(its maximum
// - the largest one) times; one that saw no key has the maximum minus infinity.
template <class T>
__global__ void __launch_bounds__(32 * kMergeWarps)
    merge(int splits, int width, int pitch, const float* sums, const float2* found, T* out) {
  __shared__ float4 of_warp[kMergeWarps][64];
  const wb::i64 row = blockIdx.x;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  sums += row * splits * pitch, found += row * splits;
  float max = -INFINITY, total = 0;
  for (int p = lane; p < splits; p += 32) max = fmaxf(max, found[p].x);
  for (int step = 16; step > 0; step /= 2) max = fmaxf(max, __shfl_xor_sync(~0u, max, step));
  for (int p = lane; p < splits; p += 32) total += found[p].y * exp2_fast(found[p].x - max);
  for (int step = 16; step > 0; step /= 2) total += __shfl_xor_sync(~0u, total, step);
  float4 sum[2] = {};
#pragma unroll 4
  for (int p = warp; p < splits; p += warps) {
    const float factor = exp2_fast(found[p].x - max);
#pragma unroll
    for (int i = 0; i < 2; ++i)
      if (const int column = 128 * i + 4 * lane; column < pitch) {
        const float4 x = *reinterpret_cast<const float4*>(sums + wb::i64{p} * pitch + column);
        sum[i].x += factor * x.x, sum[i].y += factor * x.y;
        sum[i].z += factor * x.z, sum[i].w += factor * x.w;
      }
  }
  for (int i = 0; i < 2; ++i) of_warp[warp][32 * i + lane] = sum[i];
  __syncthreads();
  for (int column = threadIdx.x; column < width; column += 32 * warps) {
    float x = 0;
    for (int w = 0; w < warps; ++w) x += reinterpret_cast<const float*>(of_warp[w])[column];
    out[row * width + column] = wb::from_float<T>(x / total);
  }
}

}  // namespace warps
