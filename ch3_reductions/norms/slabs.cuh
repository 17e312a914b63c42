// The last stage of sums over all rows: each slab of rows has stored its sum of each column, and
// this adds up the slabs, always in the same order.
#pragma once

#include "norms.cuh"

namespace {

constexpr int kSumThreads = 1024;  // at most, of a block that adds up 32 columns of all slabs

// How many floats the slabs store: per slab and column a sum of dy * xhat and a sum of dy.
inline i64 partial_floats(i64 columns, i64 slabs) { return 2 * columns * slabs; }

// A column per lane; the warps share the slabs, and the first warp adds up what they have.
template <class T>
__global__ void __launch_bounds__(kSumThreads)
    over_slabs(Norm<T> n, const float* partial, i64 slabs) {
  __shared__ float of_warp[kSumThreads / kWarp][kWarp];
  const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp, warps = blockDim.x / kWarp;
  const i64 column = static_cast<i64>(blockIdx.x) * kWarp + lane;
  T* const result = blockIdx.y == 0 ? n.dweight : n.dbias;
  partial += blockIdx.y * n.columns;
  float sum = 0;
  if (column < n.columns)
#pragma unroll 8
    for (i64 slab = warp; slab < slabs; slab += warps)
      sum += partial[slab * 2 * n.columns + column];
  of_warp[warp][lane] = sum;
  __syncthreads();
  if (warp > 0 || column >= n.columns) return;
  for (int other = 1; other < warps; ++other) sum += of_warp[other][lane];
  result[column] = wb::from_float<T>(sum);
}

template <class T>
void add_slabs(const Norm<T>& n, const float* partial, i64 slabs, cudaStream_t stream) {
  const dim3 grid(blocks(n.columns, kWarp), n.rms ? 1 : 2);
  const i64 warps = std::clamp<i64>(slabs / 8, 1, kSumThreads / kWarp);
  over_slabs<<<grid, static_cast<unsigned>(warps * kWarp), 0, stream>>>(n, partial, slabs);
}

}  // namespace
