// The definition, written down: a thread per value of C, which walks along a row of A and a column
// of B. x counts rows, as matrices are indexed on paper: c(x, y).
//
// Predict: blocks are 16 x 16, so of the 32 lanes of a warp 16 differ in x, and y has two values.
// How many sectors does one load of A touch, and one load of B? How many bytes go from L1 to the
// registers per operation?
#include "sgemm.h"
#include "wb/cuda.h"

namespace {

constexpr int kSide = 16;

__global__ void multiply(wb::i64 m, wb::i64 n, wb::i64 k, const float* a, const float* b,
                         float* c) {
  const wb::i64 row = static_cast<wb::i64>(blockIdx.x) * kSide + threadIdx.x;
  const wb::i64 column = static_cast<wb::i64>(blockIdx.y) * kSide + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (wb::i64 l = 0; l < k; ++l) sum += a[row * k + l] * b[l * n + column];
  c[row * n + column] = sum;
}

void run(const Sgemm::Args& p, cudaStream_t stream) {
  const dim3 grid = wb::grid((p.m + kSide - 1) / kSide, (p.n + kSide - 1) / kSide);
  if (grid.x * grid.y == 0) return;
  multiply<<<grid, dim3(kSide, kSide), 0, stream>>>(p.m, p.n, p.k, p.a, p.b, p.c);
  WB_CHECK(cudaGetLastError());
}

}  // namespace

WB_CUDA(Sgemm, baseline, run);
