// What the CPU variants share: the arrays with their types.
#pragma once

#include <cmath>

#include "norm_rows.h"
#include "wb/cpu.h"
#include "wb/half_cpu.h"

namespace {

using wb::i64;
using wb::narrow;  // infinities and NaN are kept
using wb::widen;

template <class T> struct Norm {
  const T *x, *weight, *bias;  // bias: null in RMSNorm
  const T* dy;
  const float *mean, *rstd;  // saved; mean: null in RMSNorm
  T *y, *dx, *dweight, *dbias;
  i64 rows, columns, stride;
  bool rms;

  const T* row_of_x(i64 row) const { return x + row * stride; }
  float rstd_of(float squares) const {  // of their sum over the row
    return 1 / std::sqrt(squares / static_cast<float>(columns) + NormRows::kEpsilon);
  }
  float saved_mean(i64 row) const { return mean ? mean[row] : 0; }
};

// f(norm) for the type of this case.
template <class F> void with_norm(const NormRows::Args& p, F f) {
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto in = [](const void* array) { return static_cast<const T*>(array); };
    const auto out = [](void* array) { return static_cast<T*>(array); };
    f(Norm<T>{in(p.x), in(p.weight), in(p.bias), in(p.dy), p.mean, p.rstd, out(p.y), out(p.dx),
              out(p.dweight), out(p.dbias), p.rows, p.columns, p.stride, p.rms});
  });
}

}  // namespace
