// Changes against step 1: a block makes a 32 x 32 tile of C. It brings 32 x 32 tiles of A and B
// into shared memory, and each of their values serves 32 threads before the next tiles come.
//
// Predict: by what factor do reads from memory and L2 fall? A thread still reads two values (now
// from shared memory) per multiply-add: by what factor does the time fall?
#include "sgemm.h"
#include "wb/cuda.h"

namespace {

constexpr int kTile = 32;

__global__ void multiply(wb::i64 m, wb::i64 n, wb::i64 k, const float* a, const float* b,
                         float* c) {
  __shared__ float tile_a[kTile][kTile], tile_b[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y;
  const wb::i64 row = static_cast<wb::i64>(blockIdx.y) * kTile + y;
  const wb::i64 column = static_cast<wb::i64>(blockIdx.x) * kTile + x;
  float sum = 0;
  for (wb::i64 start = 0; start < k; start += kTile) {
    // Zeros outside of A and B add nothing, so the loop below needs no condition.
    tile_a[y][x] = row < m && start + x < k ? a[row * k + start + x] : 0;
    tile_b[y][x] = start + y < k && column < n ? b[(start + y) * n + column] : 0;
    __syncthreads();
#pragma unroll
    for (int l = 0; l < kTile; ++l) sum += tile_a[y][l] * tile_b[l][x];
    __syncthreads();  // no thread overwrites a tile that is still read
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

void run(const Sgemm::Args& p, cudaStream_t stream) {
  const dim3 grid = wb::grid((p.n + kTile - 1) / kTile, (p.m + kTile - 1) / kTile);
  if (grid.x * grid.y == 0) return;
  multiply<<<grid, dim3(kTile, kTile), 0, stream>>>(p.m, p.n, p.k, p.a, p.b, p.c);
  WB_CHECK(cudaGetLastError());
}

}  // namespace

WB_CUDA(Sgemm, step2_shared_tile, run);
