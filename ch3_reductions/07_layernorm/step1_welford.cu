// Changes against baseline: mean and variance in one pass (moments.cuh), so x is read twice in
// place of three times. Backward: columns are summed in two stages (backward.cuh), so that there
// are as many threads as it takes, not one per column, and dx is written by those who have x and dy
// at hand.
//
// Predict: a third less is read. But each element now costs a division, and waits for the one
// before it. Which weighs more in a row of 8192, whose second and third reading hit a cache?
#include "backward.cuh"
#include "moments.cuh"

namespace {

constexpr int kThreads = 256;

template <class T> __global__ void forward(Norm<T> n) {
  __shared__ float of_warp[kWarp][3];
  const i64 row = blockIdx.x, columns = n.columns;
  const T* x = n.row_of_x(row);
  Moments own;
  if (!n.rms)
    for (i64 i = threadIdx.x; i < columns; i += kThreads) own.add(wb::to_float(x[i]));
  else  // distances from 0
    for (i64 i = threadIdx.x; i < columns; i += kThreads)
      own.m2 += wb::to_float(x[i]) * wb::to_float(x[i]), own.count += 1;
  const Moments all = over_block(own, of_warp);
  const float rstd = n.rstd_of(all.m2);
  for (i64 i = threadIdx.x; i < columns; i += kThreads)
    n.y[row * columns + i] =
        wb::from_float<T>(n.y_of(wb::to_float(x[i]), all.mean, rstd, wb::to_float(n.weight[i]),
                                 n.bias ? wb::to_float(n.bias[i]) : 0));
}

auto make(const LayerNorm::Args& p) {
  return [=, stages = TwoStages(p)](cudaStream_t stream) {
    with_norm(p, [&](auto n) {
      if (p.backward) return stages.run<1>(n, stream);
      forward<<<static_cast<unsigned>(n.rows), kThreads, 0, stream>>>(n);
    });
  };
}

}  // namespace

WB_CUDA(LayerNorm, step1_welford, make);
