// A matrix product written by hand: a block makes a 32 x 32 tile of C from tiles of A and B that it
// keeps in shared memory. It is right, and slow for the same reason as the baseline.
//
// TODO: one launch instead of `batch`. Give the grid a third axis, and let each block find out
//       which matrices are its own.
// Goal: 0.93 times optimized at m=64,n=64,k=64,batch=40
// Goal: at most 2 runtime_calls at m=64,n=64,k=64,batch=4
// Hints are in README.md.
#include "batched_gemm.h"
#include "wb/cuda.h"

namespace {

constexpr int kTile = 32, kRows = 8;  // a thread makes kTile / kRows = 4 values, in one column

__global__ void multiply(int m, int n, int k, const float* a, const float* b, float* c) {
  __shared__ float tile_a[kTile][kTile], tile_b[kTile][kTile];
  const int x = threadIdx.x, column = blockIdx.x * kTile + x, first_row = blockIdx.y * kTile;
  float sum[kTile / kRows] = {};
  for (int start = 0; start < k; start += kTile) {
    for (int y = threadIdx.y; y < kTile; y += kRows) {
      const int row = first_row + y;
      tile_a[y][x] = row < m && start + x < k ? a[row * k + start + x] : 0;
      tile_b[y][x] = start + y < k && column < n ? b[(start + y) * n + column] : 0;
    }
    __syncthreads();
    for (int l = 0; l < kTile; ++l)
      for (int r = 0; r < kTile / kRows; ++r)
        sum[r] += tile_a[threadIdx.y + r * kRows][l] * tile_b[l][x];
    __syncthreads();
  }
  for (int r = 0; r < kTile / kRows; ++r) {
    const int row = first_row + threadIdx.y + r * kRows;
    if (row < m && column < n) c[row * n + column] = sum[r];
  }
}

void run(const BatchedGemm::Args& p, cudaStream_t stream) {
  const dim3 grid = wb::grid((p.n + kTile - 1) / kTile, (p.m + kTile - 1) / kTile);
  if (grid.x * grid.y == 0) return;
  for (wb::i64 i = 0; i < p.batch; ++i) {
    multiply<<<grid, dim3(kTile, kRows), 0, stream>>>(p.m, p.n, p.k, p.a + i * p.m * p.k,
                                                      p.b + i * p.k * p.n, p.c + i * p.m * p.n);
    WB_CHECK(cudaGetLastError());
  }
}

}  // namespace

WB_CUDA(BatchedGemm, exercise, run);
