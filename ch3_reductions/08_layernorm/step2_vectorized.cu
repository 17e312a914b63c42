// Changes against step 1: 16-byte loads and stores where all rows allow them. The elements of a
// load get their own mean and squares first, then they join the rest: one division per load.
//
// Predict: x is still read twice. Where is a row of 32 KiB when it is read again, and where one of
// 256 KiB, of which each multiprocessor has eight at work?
#include "../norms/moments.cuh"
#include "layernorm.h"

namespace {

constexpr int kThreads = 256;

template <int kWidth> __device__ Moments moments_of(const float (&x)[kWidth], bool rms) {
  Moments own{kWidth, 0, 0};
#pragma unroll
  for (int j = 0; j < kWidth; ++j) own.mean += rms ? 0 : x[j];
  own.mean /= kWidth;
#pragma unroll
  for (int j = 0; j < kWidth; ++j) own.m2 += (x[j] - own.mean) * (x[j] - own.mean);
  return own;
}

template <int kWidth, class T> __global__ void __launch_bounds__(kThreads) forward(Norm<T> n) {
  using Loads = Pack<T, kWidth>;
  __shared__ Moments of_warp[kWarp];
  const i64 row = blockIdx.x;
  const T* x = n.row_of_x(row);
  Moments own{};
#pragma unroll 4
  for (i64 i = threadIdx.x * kWidth; i < n.columns; i += kThreads * kWidth) {
    float value[kWidth];
    Loads::load(x + i).to_floats(value);
    own.merge(moments_of(value, n.rms));
  }
  const Moments all = over_block(own, of_warp);
  const float rstd = n.rstd_of(all.m2);
#pragma unroll 4
  for (i64 i = threadIdx.x * kWidth; i < n.columns; i += kThreads * kWidth) {
    float value[kWidth], weight[kWidth], bias[kWidth] = {};
    Loads::load_once(x + i).to_floats(value);
    Loads::load(n.weight + i).to_floats(weight);
    if (n.bias) Loads::load(n.bias + i).to_floats(bias);
#pragma unroll
    for (int j = 0; j < kWidth; ++j)
      value[j] = n.y_of(value[j], all.mean, rstd, weight[j], bias[j]);
    Loads::of(value).store_once(n.y + row * n.columns + i);
  }
}

auto make(const LayerNorm::Args& p) {
  return [=](cudaStream_t stream) {
    with_norm(p, [&]<class T>(const Norm<T>& n) {
      const auto rows = static_cast<unsigned>(n.rows);
      if (n.fills_packs())
        forward<Pack<T>::kWidth><<<rows, kThreads, 0, stream>>>(n);
      else
        forward<1><<<rows, kThreads, 0, stream>>>(n);
    });
  };
}

}  // namespace

WB_CUDA(LayerNorm, step2_vectorized, make);
