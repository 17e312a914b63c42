// A block per row for dx: one loop for the two means over the row, one for dx. Then a thread per
// column, which walks down all rows, for dweight and dbias.
//
// Predict: with 8192 columns, how many blocks of 256 threads does the column walk have, and how
// many multiprocessors have none?
#include "../norms/norms.cuh"
#include "layernorm_backward.h"

namespace {

constexpr int kThreads = 256;

template <class T> __global__ void backward_x(Norm<T> n) {
  __shared__ float2 of_warp[kWarp];
  const i64 row = blockIdx.x, columns = n.columns;
  const T *x = n.row_of_x(row), *dy = n.dy + row * columns;
  const float mean = n.saved_mean(row), rstd = n.rstd[row];
  float2 sums = {0, 0};
  for (i64 i = threadIdx.x; i < columns; i += kThreads) {
    const float g = wb::to_float(dy[i]) * wb::to_float(n.weight[i]);
    sums.x += g, sums.y += g * (wb::to_float(x[i]) - mean) * rstd;
  }
  sums = over_block(sums, of_warp);
  const float mean_g = n.rms ? 0 : sums.x / static_cast<float>(columns);
  const float mean_gx = sums.y / static_cast<float>(columns);
  for (i64 i = threadIdx.x; i < columns; i += kThreads) {
    const float g = wb::to_float(dy[i]) * wb::to_float(n.weight[i]);
    const float xhat = (wb::to_float(x[i]) - mean) * rstd;
    n.dx[row * columns + i] = wb::from_float<T>(rstd * (g - mean_g - xhat * mean_gx));
  }
}

template <class T> __global__ void backward_columns(Norm<T> n) {
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

void run(const LayerNormBackward::Args& p, cudaStream_t stream) {
  with_norm(p, [&](auto n) {
    const auto rows = static_cast<unsigned>(n.rows);
    if (rows > 0) backward_x<<<rows, kThreads, 0, stream>>>(n);
    backward_columns<<<blocks(n.columns, kThreads), kThreads, 0, stream>>>(n);
  });
}

}  // namespace

WB_CUDA(LayerNormBackward, baseline, run);
WB_EXERCISE(WeightGradients);
