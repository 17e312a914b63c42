// Exercise: dweight and dbias alone, as in the first layer of a network, whose input needs no
// gradient. A thread has a column and walks down all rows. With 8192 columns that makes 32 blocks
// of 256 threads, so most multiprocessors have none, and each thread loads one float of x and one
// of dy at a time.
//
// TODO 1: cut the rows into slabs, so that many threads share a column. Each leaves its two sums in
//         memory, and a second launch adds up the slabs: `add_slabs` in ../norms/slabs.cuh.
// TODO 2: let a thread have as many neighbouring columns as 16 bytes hold, where rows allow it.
// TODO 3: how many slabs fill all multiprocessors? What do more slabs cost?
// Goal: 1.2 times optimized at op=layernorm_backward,dtype=fp32,rows=8192,columns=8192
// Goal: at most 8000 requests at op=layernorm_backward,dtype=fp32,rows=256,columns=512
// Hints are in README.md.
#include "../norms/norms.cuh"
#include "layernorm_backward.h"

namespace {

constexpr int kThreads = 256;

template <class T> __global__ void columns_of(Norm<T> n) {
  const i64 column = static_cast<i64>(blockIdx.x) * kThreads + threadIdx.x;
  if (column >= n.columns) return;
  float dweight = 0, dbias = 0;
  for (i64 row = 0; row < n.rows; ++row) {
    const float dy = wb::to_float(n.dy[row * n.columns + column]);
    const float off = wb::to_float(n.row_of_x(row)[column]) - n.saved_mean(row);
    dweight += dy * off * n.rstd[row], dbias += dy;
  }
  n.dweight[column] = wb::from_float<T>(dweight);
  if (n.dbias) n.dbias[column] = wb::from_float<T>(dbias);
}

void run(const WeightGradients::Args& p, cudaStream_t stream) {
  with_norm(p,
            [&](auto n) { columns_of<<<blocks(n.columns, kThreads), kThreads, 0, stream>>>(n); });
}

}  // namespace

WB_CUDA(WeightGradients, exercise, run);
