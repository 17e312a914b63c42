// A kernel between step 4 and step 6: tiles of 64 x 64, a thread makes 4 x 4 values. It is right,
// and nothing is wrong with it at 4096 x 4096. But for a C of 256 x 256 that is 16 blocks, and most
// multiprocessors have no work while they walk along a k of 32768.
//
// TODO: let several blocks share a tile of C, each with a part of k. Decide who adds up their sums,
//       and what C must hold before they begin.
// Goal: at most 4 times as long as library at m=256,n=256,k=32768
// Goal: at most 64 barriers_per_block at m=64,n=64,k=1024
// Hints are in README.md.
#include "sgemm.h"
#include "wb/cuda.h"

namespace {

constexpr int kTile = 64, kDepth = 16, kEach = 4, kSide = kTile / kEach, kThreads = kSide * kSide;

__global__ void __launch_bounds__(kThreads)
    multiply(wb::i64 m, wb::i64 n, wb::i64 k, const float* a, const float* b, float* c) {
  __shared__ float tile_a[kDepth][kTile + 1], tile_b[kDepth][kTile];
  const wb::i64 row0 = static_cast<wb::i64>(blockIdx.y) * kTile;
  const wb::i64 column0 = static_cast<wb::i64>(blockIdx.x) * kTile;
  const int x = threadIdx.x % kSide, y = threadIdx.x / kSide;  // and every kSide-th after them

  float sum[kEach][kEach] = {};
  for (wb::i64 start = 0; start < k; start += kDepth) {
#pragma unroll
    for (int pass = 0; pass < kTile * kDepth / kThreads; ++pass) {
      const int i = pass * kThreads + threadIdx.x;
      const int a_row = i / kDepth, a_depth = i % kDepth, b_depth = i / kTile, b_column = i % kTile;
      const bool in_a = row0 + a_row < m && start + a_depth < k;
      const bool in_b = start + b_depth < k && column0 + b_column < n;
      tile_a[a_depth][a_row] = in_a ? a[(row0 + a_row) * k + start + a_depth] : 0;
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
      if (row < m && column < n) c[row * n + column] = sum[i][j];
    }
}

void run(const Sgemm::Args& p, cudaStream_t stream) {
  const dim3 grid = wb::grid((p.n + kTile - 1) / kTile, (p.m + kTile - 1) / kTile);
  if (grid.x * grid.y == 0) return;
  multiply<<<grid, kThreads, 0, stream>>>(p.m, p.n, p.k, p.a, p.b, p.c);
  WB_CHECK(cudaGetLastError());
}

}  // namespace

WB_CUDA(Sgemm, exercise, run);
