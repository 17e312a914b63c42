// Bug hunt: a product with three tiles of A and of B in shared memory. While a block multiplies one
// pair, two more are on their way: a copy in the background (cp.async) needs no registers. A thread
// waits until at most one of its groups of copies is still on its way. A GPU gives right answers.
//
// TODO: one line is in the wrong place. Which? ./workbook check last_tile --backend=simt
// Goal: right at every size
// Hints are in README.md.
#include <cuda_pipeline.h>

#include "last_tile.h"
#include "wb/cuda.h"

namespace {

constexpr int kTile = 32, kStages = 3;

__global__ void multiply(LastTile::Args p) {
  __shared__ float a[kStages][kTile][kTile], b[kStages][kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y;
  const wb::i64 row = static_cast<wb::i64>(blockIdx.y) * kTile + y;
  const wb::i64 column = static_cast<wb::i64>(blockIdx.x) * kTile + x;
  const auto copy = [&](float& to, const float* from, bool inside) {  // outside of A and B: 0
    __pipeline_memcpy_async(&to, from, sizeof(float), inside ? 0 : sizeof(float));
  };
  const auto load = [&](wb::i64 start, int stage) {
    const bool in_a = row < p.m && start + x < p.k, in_b = start + y < p.k && column < p.n;
    copy(a[stage][y][x], in_a ? p.a + row * p.k + start + x : p.a, in_a);
    copy(b[stage][y][x], in_b ? p.b + (start + y) * p.n + column : p.b, in_b);
  };
  for (int stage = 0; stage < kStages - 1; ++stage) {
    load(stage * kTile, stage);
    __pipeline_commit();
  }
  float sum = 0;
  int stage = 0;
  for (wb::i64 start = 0; start < p.k; start += kTile) {
    __pipeline_wait_prior(kStages - 2);
    __syncthreads();
    if (const wb::i64 next = start + (kStages - 1) * kTile; next < p.k) {
      load(next, (stage + kStages - 1) % kStages);
      __pipeline_commit();
    }
    for (int l = 0; l < kTile; ++l) sum += a[stage][y][l] * b[stage][l][x];
    stage = (stage + 1) % kStages;
  }
  if (row < p.m && column < p.n) p.c[row * p.n + column] = sum;
}

void run(const LastTile::Args& p, cudaStream_t stream) {
  const dim3 grid = wb::grid((p.n + kTile - 1) / kTile, (p.m + kTile - 1) / kTile);
  if (p.m > 0 && p.n > 0) multiply<<<grid, dim3(kTile, kTile), 0, stream>>>(p);
}

}  // namespace

WB_CUDA(LastTile, exercise, run);
