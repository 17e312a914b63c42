// Changes against step 3: a thread makes 8 x 8 values of C. Per step along k it reads 8 values of A
// and 8 of B, for 64 multiply-adds. The tile of C is 128 x 128, for 256 threads.
//
// Predict: how many values per multiply-add does a thread read now? How many registers do the sums
// take, and how many threads does that leave a multiprocessor with 65,536 registers?
#include "sgemm.h"
#include "wb/cuda.h"

namespace {

constexpr int kTile = 128, kDepth = 8, kEach = 8, kSide = kTile / kEach;
constexpr int kThreads = kSide * kSide;

__global__ void __launch_bounds__(kThreads)
    multiply(wb::i64 m, wb::i64 n, wb::i64 k, const float* a, const float* b, float* c) {
  __shared__ float tile_a[kTile][kDepth], tile_b[kDepth][kTile];
  const wb::i64 row0 = static_cast<wb::i64>(blockIdx.y) * kTile;
  const wb::i64 column0 = static_cast<wb::i64>(blockIdx.x) * kTile;
  const int x = threadIdx.x % kSide * kEach, y = threadIdx.x / kSide * kEach;

  float sum[kEach][kEach] = {};
  for (wb::i64 start = 0; start < k; start += kDepth) {
#pragma unroll
    for (int pass = 0; pass < kTile * kDepth / kThreads; ++pass) {
      const int i = pass * kThreads + threadIdx.x;
      const int a_row = i / kDepth, a_depth = i % kDepth, b_depth = i / kTile, b_column = i % kTile;
      const bool in_a = row0 + a_row < m && start + a_depth < k;
      const bool in_b = start + b_depth < k && column0 + b_column < n;
      tile_a[a_row][a_depth] = in_a ? a[(row0 + a_row) * k + start + a_depth] : 0;
      tile_b[b_depth][b_column] = in_b ? b[(start + b_depth) * n + column0 + b_column] : 0;
    }
    __syncthreads();
#pragma unroll
    for (int l = 0; l < kDepth; ++l) {
      float left[kEach], right[kEach];
#pragma unroll
      for (int i = 0; i < kEach; ++i) left[i] = tile_a[y + i][l], right[i] = tile_b[l][x + i];
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
    for (int j = 0; j < kEach; ++j)
      if (row0 + y + i < m && column0 + x + j < n)
        c[(row0 + y + i) * n + column0 + x + j] = sum[i][j];
}

void run(const Sgemm::Args& p, cudaStream_t stream) {
  const dim3 grid = wb::grid((p.n + kTile - 1) / kTile, (p.m + kTile - 1) / kTile);
  if (grid.x * grid.y == 0) return;
  multiply<<<grid, kThreads, 0, stream>>>(p.m, p.n, p.k, p.a, p.b, p.c);
  WB_CHECK(cudaGetLastError());
}

}  // namespace

WB_CUDA(Sgemm, step4_register_tile, run);
