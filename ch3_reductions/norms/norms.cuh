// The arrays with their types, as kernels take them.
#pragma once

#include "../shared/pack.cuh"
#include "../shared/team.cuh"
#include "norm_rows.h"

namespace {

using wb::i64;

template <class T> struct Norm {
  const T *x, *weight, *bias;  // bias: null in RMSNorm
  const T* dy;
  const float *mean, *rstd;  // saved; mean: null in RMSNorm
  T *y, *dx, *dweight, *dbias;
  i64 rows, columns, stride;
  bool rms;
  // 1 / columns. A division is some twenty instructions, which the compiler may place before the
  // first load.
  float share;

  __device__ const T* row_of_x(i64 row) const { return x + row * stride; }
  __device__ float rstd_of(float squares) const {  // of their sum over the row
    return rsqrtf(squares / static_cast<float>(columns) + NormRows::kEpsilon);
  }
  __device__ float y_of(float x, float mean, float rstd, float weight, float bias) const {
    return (x - mean) * rstd * weight + bias;
  }
  __device__ float saved_mean(i64 row) const { return mean ? mean[row] : 0; }
  // Whether each row of each array begins and ends at a multiple of 16 bytes.
  bool fills_packs() const {
    return ::fill_packs({x, weight, bias, dy, y, dx}, columns | stride, Pack<T>::kWidth);
  }
};

// f(norm) for the type of this case; not where there is no element of y or dweight to write.
template <class F> void with_norm(const NormRows::Args& p, F f) {
  if (p.columns == 0 || (p.rows == 0 && !p.backward)) return;
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = wb::DeviceType<decltype(zero)>;
    const auto in = [](const void* array) { return static_cast<const T*>(array); };
    const auto out = [](void* array) { return static_cast<T*>(array); };
    f(Norm<T>{in(p.x), in(p.weight), in(p.bias), in(p.dy), p.mean, p.rstd, out(p.y), out(p.dx),
              out(p.dweight), out(p.dbias), p.rows, p.columns, p.stride, p.rms,
              1 / static_cast<float>(p.columns)});
    WB_CHECK(cudaGetLastError());
  });
}

}  // namespace
