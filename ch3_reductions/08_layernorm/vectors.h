// A row in whole vectors, for the CPU variants after the baseline.
#pragma once

#include <algorithm>

#include "../norms/norms.h"
#include "../shared/chains.h"
#include "layernorm.h"

namespace {

constexpr i64 kWorthCores = 1 << 15;  // elements; with fewer, one core is done sooner

// `from` and `y` do not overlap, or a vector could not be read before the one in front is written.
// Where `count` is that of a line, the compiler would write its steps out before it looks for
// vectors; simd has it look first.
template <class X, class T, class Count>
void normalize(const X* from, float mean, float rstd, const T* weight, const T* bias,
               T* __restrict__ y, Count count) {
  if (bias) {
#pragma omp simd
    for (i64 i = 0; i < count; ++i)
      y[i] = narrow<T>((widen(from[i]) - mean) * rstd * widen(weight[i]) + widen(bias[i]));
  } else {
#pragma omp simd
    for (i64 i = 0; i < count; ++i)
      y[i] = narrow<T>((widen(from[i]) - mean) * rstd * widen(weight[i]));
  }
}

struct MeanAndRstd {
  float mean, rstd;
};
template <class X, class T> MeanAndRstd two_passes(const Norm<T>& n, const X* x) {
  const float mean =
      n.rms ? 0
            : sum_of(n.columns, [=](i64 i) { return widen(x[i]); }) / static_cast<float>(n.columns);
  const float squares = sum_of(n.columns, [=](i64 i) {
    const float off = widen(x[i]) - mean;
    return off * off;
  });
  return {mean, n.rstd_of(squares)};
}

template <class T> void forward_row(const Norm<T>& n, i64 row) {
  const T* x = n.row_of_x(row);
  const auto [mean, rstd] = two_passes(n, x);
  normalize(x, mean, rstd, n.weight, n.bias, n.y + row * n.columns, n.columns);
}

}  // namespace
