// Changes against baseline: x counts columns. The 32 lanes of a warp now read 32 neighbours of B,
// and one value of A that all of them share.
//
// Predict: the number of loads and of operations is the same. How many sectors does a warp's load
// of A take now, how many its load of B? Per multiply-add a warp still has two loads: which unit is
// busy, if the multiprocessor can start four multiply-adds per cycle and one load?
#include "sgemm.h"
#include "wb/cuda.h"

namespace {

constexpr int kColumns = 32, kRows = 8;

__global__ void multiply(wb::i64 m, wb::i64 n, wb::i64 k, const float* a, const float* b,
                         float* c) {
  const wb::i64 row = static_cast<wb::i64>(blockIdx.y) * kRows + threadIdx.y;
  const wb::i64 column = static_cast<wb::i64>(blockIdx.x) * kColumns + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (wb::i64 l = 0; l < k; ++l) sum += a[row * k + l] * b[l * n + column];
  c[row * n + column] = sum;
}

void run(const Sgemm::Args& p, cudaStream_t stream) {
  const dim3 grid = wb::grid((p.n + kColumns - 1) / kColumns, (p.m + kRows - 1) / kRows);
  if (grid.x * grid.y == 0) return;
  multiply<<<grid, dim3(kColumns, kRows), 0, stream>>>(p.m, p.n, p.k, p.a, p.b, p.c);
  WB_CHECK(cudaGetLastError());
}

}  // namespace

WB_CUDA(Sgemm, step1_coalesced, run);
