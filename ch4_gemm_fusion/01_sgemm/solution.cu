// The exercise, solved: the grid's third axis cuts k into parts (split-K), as many as it takes for
// four blocks per multiprocessor. Blocks add their sums to C with atomics, so C begins as zeros.
// The order of the parts changes from run to run, and the last bits of C with it.
#include <algorithm>

#include "sgemm.h"
#include "wb/cuda.h"

namespace {

constexpr int kTile = 64, kDepth = 16, kEach = 4, kSide = kTile / kEach, kThreads = kSide * kSide;

__global__ void __launch_bounds__(kThreads) multiply(wb::i64 m, wb::i64 n, wb::i64 k, wb::i64 part,
                                                     const float* a, const float* b, float* c) {
  __shared__ float tile_a[kDepth][kTile + 1], tile_b[kDepth][kTile];
  const wb::i64 row0 = static_cast<wb::i64>(blockIdx.y) * kTile;
  const wb::i64 column0 = static_cast<wb::i64>(blockIdx.x) * kTile;
  const int x = threadIdx.x % kSide, y = threadIdx.x / kSide;  // and every kSide-th after them

  const wb::i64 pitch = k;
  float sum[kEach][kEach] = {};
  const wb::i64 begin = blockIdx.z * part;
  k = min(k, begin + part);  // where this block's part ends
  for (wb::i64 start = begin; start < k; start += kDepth) {
#pragma unroll
    for (int pass = 0; pass < kTile * kDepth / kThreads; ++pass) {
      const int i = pass * kThreads + threadIdx.x;
      const int a_row = i / kDepth, a_depth = i % kDepth, b_depth = i / kTile, b_column = i % kTile;
      const bool in_a = row0 + a_row < m && start + a_depth < k;
      const bool in_b = start + b_depth < k && column0 + b_column < n;
      tile_a[a_depth][a_row] = in_a ? a[(row0 + a_row) * pitch + start + a_depth] : 0;
      tile_b[b_depth][b_column] = in_b ? b[(start + b_depth) * n + column0 + b_column] : 0;
    }
    __syncthreads();
#pragma unroll
    for (int l = 0; l < kDepth; ++l) {
      float left[kEach], right[kEach];
#pragma unroll
      for (int i = 0; i < kEach; ++i)
        left[i] = tile_a[l][y + i * kSide], right[i] = tile_b[l][x + i * kSide];
#pragma unroll
      for (int i = 0; i < kEach; ++i)
#pragma unroll
        for (int j = 0; j < kEach; ++j) sum[i][j] += left[i] * right[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kEach; ++i)
#pragma unroll
    for (int j = 0; j < kEach; ++j) {
      const wb::i64 row = row0 + y + i * kSide, column = column0 + x + j * kSide;
      if (row < m && column < n) atomicAdd(&c[row * n + column], sum[i][j]);
    }
}

auto make(const Sgemm::Args& p) {
  int device = 0, multiprocessors = 0;
  WB_CHECK(cudaGetDevice(&device));
  WB_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  return [p, multiprocessors](cudaStream_t stream) {
    dim3 grid = wb::grid((p.n + kTile - 1) / kTile, (p.m + kTile - 1) / kTile);
    const wb::i64 tiles = static_cast<wb::i64>(grid.x) * grid.y;
    if (tiles == 0) return;
    // In whole slices, and at least 16 of them: fewer are not worth the atomics.
    const wb::i64 slices = (p.k + kDepth - 1) / kDepth, wanted = 4 * multiprocessors / tiles + 1;
    const wb::i64 each = std::max<wb::i64>((slices + wanted - 1) / wanted, 16);
    grid.z = std::max<wb::i64>((slices + each - 1) / each, 1);
    WB_CHECK(cudaMemsetAsync(p.c, 0, p.m * p.n * sizeof(float), stream));
    multiply<<<grid, kThreads, 0, stream>>>(p.m, p.n, p.k, each * kDepth, p.a, p.b, p.c);
    WB_CHECK(cudaGetLastError());
  };
}

}  // namespace

WB_CUDA(Sgemm, solution, make);
