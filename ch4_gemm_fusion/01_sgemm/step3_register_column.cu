// Changes against step 2: a thread makes eight values of C, below each other, and keeps their sums
// in registers. A value of B that it reads from shared memory serves all eight. The tile of C grows
// to 64 x 64, the tiles of A and B are only 8 deep.
//
// Predict: how many values does a thread read from shared memory per multiply-add now? All lanes of
// a warp read the same value of A: what does the compiler make of four such reads in a row?
#include "sgemm.h"
#include "wb/cuda.h"

namespace {

constexpr int kTile = 64, kDepth = 8, kEach = 8;  // a thread makes kEach rows of one column
constexpr int kThreads = kTile * kTile / kEach;   // and fetches one value of A and one of B
static_assert(kTile * kDepth == kThreads);

__global__ void __launch_bounds__(kThreads)
    multiply(wb::i64 m, wb::i64 n, wb::i64 k, const float* a, const float* b, float* c) {
  __shared__ float tile_a[kTile][kDepth], tile_b[kDepth][kTile];
  const wb::i64 row0 = static_cast<wb::i64>(blockIdx.y) * kTile;
  const wb::i64 column0 = static_cast<wb::i64>(blockIdx.x) * kTile;
  const int x = threadIdx.x % kTile, y = threadIdx.x / kTile * kEach;

  const int a_row = threadIdx.x / kDepth, a_depth = threadIdx.x % kDepth;
  const int b_depth = threadIdx.x / kTile, b_column = threadIdx.x % kTile;
  float sum[kEach] = {};
  for (wb::i64 start = 0; start < k; start += kDepth) {
    const bool in_a = row0 + a_row < m && start + a_depth < k;
    const bool in_b = start + b_depth < k && column0 + b_column < n;
    tile_a[a_row][a_depth] = in_a ? a[(row0 + a_row) * k + start + a_depth] : 0;
    tile_b[b_depth][b_column] = in_b ? b[(start + b_depth) * n + column0 + b_column] : 0;
    __syncthreads();
#pragma unroll
    for (int l = 0; l < kDepth; ++l)
#pragma unroll
      for (int r = 0; r < kEach; ++r) sum[r] += tile_a[y + r][l] * tile_b[l][x];
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < kEach; ++r)
    if (row0 + y + r < m && column0 + x < n) c[(row0 + y + r) * n + column0 + x] = sum[r];
}

void run(const Sgemm::Args& p, cudaStream_t stream) {
  const dim3 grid = wb::grid((p.n + kTile - 1) / kTile, (p.m + kTile - 1) / kTile);
  if (grid.x * grid.y == 0) return;
  multiply<<<grid, kThreads, 0, stream>>>(p.m, p.n, p.k, p.a, p.b, p.c);
  WB_CHECK(cudaGetLastError());
}

}  // namespace

WB_CUDA(Sgemm, step3_register_column, run);
