// A warp takes four rows of the matrix at a time, so that neighbouring lanes read neighbouring
// elements, and a value of b serves four rows. The lanes' sums are added at the end.
#pragma once

#include "../roofline.h"
#include "wb/cuda.h"

namespace {

constexpr int kGemvThreads = 256, kGemvRows = 4;  // a block; a warp

__device__ float dot(float a, float b) { return a * b; }
__device__ float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }

// Vector is float4, or float where a row is no multiple of four long. n counts Vectors.
template <class Vector>
__global__ void __launch_bounds__(kGemvThreads)
    gemv(wb::i64 m, wb::i64 n, const Vector* a, const Vector* b, float* c) {
  const int lane = threadIdx.x % 32;
  const wb::i64 first =
      (static_cast<wb::i64>(blockIdx.x) * (kGemvThreads / 32) + threadIdx.x / 32) * kGemvRows;
  if (first >= m) return;
  const Vector* row[kGemvRows];
#pragma unroll
  for (int r = 0; r < kGemvRows; ++r) row[r] = a + (first + r < m ? first + r : m - 1) * n;

  float sum[kGemvRows] = {};
#pragma unroll 2
  for (wb::i64 j = lane; j < n; j += 32) {
    const Vector x = b[j];
#pragma unroll
    for (int r = 0; r < kGemvRows; ++r) sum[r] += dot(row[r][j], x);
  }
#pragma unroll
  for (int r = 0; r < kGemvRows; ++r) {
    for (int distance = 16; distance > 0; distance /= 2)
      sum[r] += __shfl_xor_sync(~0u, sum[r], distance);
    if (lane == r && first + r < m) c[first + r] = sum[r];
  }
}

void gemv(const Roofline::Args& p, cudaStream_t stream) {
  if (p.m == 0) return;
  const wb::i64 a_block = kGemvThreads / 32 * kGemvRows, blocks = (p.m + a_block - 1) / a_block;
  if (p.n % 4 == 0)
    gemv<<<blocks, kGemvThreads, 0, stream>>>(p.m, p.n / 4, reinterpret_cast<const float4*>(p.a),
                                              reinterpret_cast<const float4*>(p.b), p.c);
  else
    gemv<<<blocks, kGemvThreads, 0, stream>>>(p.m, p.n, p.a, p.b, p.c);
}

}  // namespace
