// A block per row and three loops over it, one for each formula: the mean, the variance, y. Each
// reads x from memory or a cache.
//
// Predict: x is read three times and y written once. How long is that for 8192 x 8192 in fp32, if
// no cache helps? A row is 32 KiB: from where does the second loop read it?
#include "../norms/norms.cuh"
#include "layernorm.h"

namespace {

constexpr int kThreads = 256;

template <class T> __global__ void forward(Norm<T> n) {
  __shared__ float of_warp[2][kWarp];
  const i64 row = blockIdx.x, columns = n.columns;
  const T* x = n.row_of_x(row);
  float sum = 0, squares = 0;
  if (!n.rms)
    for (i64 i = threadIdx.x; i < columns; i += kThreads) sum += wb::to_float(x[i]);
  const float mean = over_block(sum, of_warp[0]) / static_cast<float>(columns);
  for (i64 i = threadIdx.x; i < columns; i += kThreads) {
    const float off = wb::to_float(x[i]) - mean;
    squares += off * off;
  }
  const float rstd = n.rstd_of(over_block(squares, of_warp[1]));
  for (i64 i = threadIdx.x; i < columns; i += kThreads)
    n.y[row * columns + i] =
        wb::from_float<T>(n.y_of(wb::to_float(x[i]), mean, rstd, wb::to_float(n.weight[i]),
                                 n.bias ? wb::to_float(n.bias[i]) : 0));
}

void run(const LayerNorm::Args& p, cudaStream_t stream) {
  with_norm(p, [&](auto n) { forward<<<static_cast<unsigned>(n.rows), kThreads, 0, stream>>>(n); });
}

}  // namespace

WB_CUDA(LayerNorm, baseline, run);
