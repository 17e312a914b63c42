// Changes against baseline: mean and variance in one pass, so x is read twice instead of three
// times. A new element moves the mean by its distance from it, divided by the count. To the sum of
// squared distances it adds its distance from the old mean times its distance from the new one
// (Welford 1962). The results of two threads merge in the same way (moments.cuh). RMSNorm has no
// mean: its distances are from 0.
//
// Predict: a third less is read. But each element now costs a division, and waits for the one
// before it. Which weighs more in a row of 8192, whose second and third reading hit a cache?
#include "../norms/moments.cuh"
#include "layernorm.h"

namespace {

constexpr int kThreads = 256;

template <class T> __global__ void forward(Norm<T> n) {
  __shared__ Moments of_warp[kWarp];
  const i64 row = blockIdx.x, columns = n.columns;
  const T* x = n.row_of_x(row);
  Moments own{};
  for (i64 i = threadIdx.x; i < columns; i += kThreads) {
    const float value = wb::to_float(x[i]), off = value - own.mean;
    own.count += 1;
    if (!n.rms) own.mean += off / own.count;
    own.m2 += off * (value - own.mean);
  }
  const Moments all = over_block(own, of_warp);
  const float rstd = n.rstd_of(all.m2);
  for (i64 i = threadIdx.x; i < columns; i += kThreads)
    n.y[row * columns + i] =
        wb::from_float<T>(n.y_of(wb::to_float(x[i]), all.mean, rstd, wb::to_float(n.weight[i]),
                                 n.bias ? wb::to_float(n.bias[i]) : 0));
}

auto make(const LayerNorm::Args& p) {
  return [=](cudaStream_t stream) {
    with_norm(p,
              [&](auto n) { forward<<<static_cast<unsigned>(n.rows), kThreads, 0, stream>>>(n); });
  };
}

}  // namespace

WB_CUDA(LayerNorm, step1_welford, make);
