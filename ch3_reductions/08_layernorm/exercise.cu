// Exercise: 64 Ki rows of 1024, RMSNorm in bf16. A block per row and two loops over it, right for
// rows of any length. A row is 2 KiB, so each thread has four elements, and all wait for each other
// at a barrier before the first is written.
//
// TODO 1: let a warp have a row, and a block eight of them. No shared memory, no barrier.
// TODO 2: let each lane load its elements once, in loads of 16 bytes, all of them before the first
//         is used, and keep them in registers: the squares first, then y.
// TODO 3: lanes store 16 bytes at a time as well. weight is the same for all rows: how does a lane
//         load it, and how often from memory?
// Keep the kernels below for everything else.
// Goal: 0.9 times all_shapes at op=rmsnorm,dtype=bf16,rows=65536,columns=1024
// Goal: at most 6000 requests at op=rmsnorm,dtype=bf16,rows=256,columns=1024
// Hints are in README.md.
#include "../norms/norms.cuh"
#include "layernorm.h"

namespace {

constexpr int kThreads = 256;

template <class T> __global__ void forward(Norm<T> n) {
  __shared__ float of_warp[2][kWarp];
  const T* const x = n.row_of_x(blockIdx.x);
  T* const y = n.y + blockIdx.x * n.columns;
  float sum = 0, squares = 0;
  if (!n.rms)
    for (i64 i = threadIdx.x; i < n.columns; i += kThreads) sum += wb::to_float(x[i]);
  const float mean = over_block(sum, of_warp[0]) / static_cast<float>(n.columns);
  for (i64 i = threadIdx.x; i < n.columns; i += kThreads)
    squares += (wb::to_float(x[i]) - mean) * (wb::to_float(x[i]) - mean);
  const float rstd = n.rstd_of(over_block(squares, of_warp[1]));
  for (i64 i = threadIdx.x; i < n.columns; i += kThreads)
    y[i] = wb::from_float<T>(n.y_of(wb::to_float(x[i]), mean, rstd, wb::to_float(n.weight[i]),
                                    n.bias ? wb::to_float(n.bias[i]) : 0));
}

auto make(const LayerNorm::Args& p) {
  return [=](cudaStream_t stream) {
    with_norm(p,
              [&](auto n) { forward<<<static_cast<unsigned>(n.rows), kThreads, 0, stream>>>(n); });
  };
}

}  // namespace

WB_CUDA(LayerNorm, exercise, make);
