// One loop for every tile, whole or at the edge of C: a thread makes `high` rows, as many as C has
// there. It is right, and does not waste a multiply-add. But a register has no index that could be
// computed: an array that is indexed by a value known only at run time is in local memory, so every
// multiply-add here loads its sum and stores it. The note next to the row says how many bytes.
//
// TODO: let every loop over `sum` have a length that the compiler knows, and unroll it.
//       What becomes of a tile at the edge? The note should say 0 bytes.
// Goal: 1.35 times step1_small_tile at m=4096,n=4096,k=4096,rows=4
// Hints are in README.md.
#include "tile.cuh"

namespace {

constexpr int kRows = 8, kColumns = 8;

__global__ void __launch_bounds__(kThreads) multiply_any_height(RegisterPressure::Args p) {
  __shared__ Slices<kRows, kColumns> slices;
  const wb::i64 left_over = (p.m - row<kRows>(0) + kSide - 1) / kSide;  // rows of this thread
  const int high = static_cast<int>(left_over < kRows ? left_over : kRows);
  float sum[kRows][kColumns] = {};
  for (wb::i64 start = 0; start < p.k; start += kDepth) {
    float a[kRows], b[kColumns];
    fetch(p, start, a, b);
    put(a, b, slices);
    __syncthreads();
    for (int l = 0; l < kDepth; ++l) {
      float right[kColumns];
#pragma unroll
      for (int j = 0; j < kColumns; ++j) right[j] = slices.b[l][j * kSide + threadIdx.x];
      for (int i = 0; i < high; ++i) {
        const float left = slices.a[i * kSide + threadIdx.y][l];
#pragma unroll
        for (int j = 0; j < kColumns; ++j) sum[i][j] += left * right[j];
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < high; ++i)
#pragma unroll
    for (int j = 0; j < kColumns; ++j)
      if (column<kColumns>(j) < p.n) p.c[row<kRows>(i) * p.n + column<kColumns>(j)] = sum[i][j];
}

void run(const RegisterPressure::Args& p, cudaStream_t stream) {
  launch<kRows, kColumns>(multiply_any_height, p, stream);
}

}  // namespace

WB_CUDA(RegisterPressure, exercise, run);
WB_CASE_NOTE(RegisterPressure,
             [](const RegisterPressure::Args&) { return compiled(multiply_any_height); });
