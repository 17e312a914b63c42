// A row in whole vectors, for the CPU variants after the baseline.
#pragma once

#include <algorithm>
#include <vector>

#include "norms.h"

namespace {

constexpr int kChains = 64;           // accumulators, whose additions need not wait for each other
constexpr int kSlabs = 16;            // groups of rows whose columns are summed apart
constexpr i64 kWorthCores = 1 << 15;  // elements; with fewer, one core is done sooner

// The sum of value[0], value[kStep], value[2 * kStep] ... of 16: halves are added to halves.
template <int kStep> float folded(const float* value) {
  if constexpr (kStep == 16)
    return *value;
  else
    return folded<2 * kStep>(value) + folded<2 * kStep>(value + kStep);
}

// The sum of term(i) for i < count. What is left at the end is added up apart: indexes that the
// compiler does not know would send all accumulators to memory.
template <class F> float sum_of(i64 count, F term) {
  static_assert(kChains == 64);
  float sum[kChains] = {}, of_four[16];  // accumulators
  i64 i = 0;
  for (; i + kChains <= count; i += kChains)
    for (int j = 0; j < kChains; ++j) sum[j] += term(i + j);
  if (i < count) {
    float rest[kChains] = {};
    for (int j = 0; i + j < count; ++j) rest[j] = term(i + j);
    for (int j = 0; j < kChains; ++j) sum[j] += rest[j];
  }
  for (int j = 0; j < 16; ++j) of_four[j] = (sum[j] + sum[j + 32]) + (sum[j + 16] + sum[j + 48]);
  return folded<1>(of_four);
}

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

struct RowMeans {
  float g, gx;  // of g = dy * weight, and of g * xhat
};
template <class T> RowMeans means_of(const Norm<T>& n, i64 row) {
  const T *x = n.row_of_x(row), *dy = n.dy + row * n.columns, *weight = n.weight;
  const float mean = n.saved_mean(row), columns = static_cast<float>(n.columns);
  const auto g = [=](i64 i) { return widen(dy[i]) * widen(weight[i]); };
  const float sum_gx = sum_of(n.columns, [=](i64 i) { return g(i) * (widen(x[i]) - mean); });
  return {n.rms ? 0 : sum_of(n.columns, g) / columns, sum_gx * n.rstd[row] / columns};
}

template <class T, class Count>
void dx_of(const T* x, const T* dy, const T* weight, float mean, float rstd, RowMeans means,
           T* __restrict__ dx, Count count) {
  for (i64 i = 0; i < count; ++i) {
    const float xhat = (widen(x[i]) - mean) * rstd;
    dx[i] = narrow<T>(rstd * (widen(dy[i]) * widen(weight[i]) - means.g - xhat * means.gx));
  }
}

template <class T>
void add_to_columns(const T* x, const T* dy, float mean, float rstd, float* __restrict__ dweight,
                    float* __restrict__ dbias, i64 count) {
  for (i64 i = 0; i < count; ++i) {
    dweight[i] += widen(dy[i]) * ((widen(x[i]) - mean) * rstd);
    dbias[i] += widen(dy[i]);
  }
}

// Calls slab_of(first row, row behind the last, its sums of dy * xhat, and of dy) for each slab, on
// all cores, then adds up the slabs. They do not depend on the number of cores, and neither does
// the result.
template <class T, class F> void by_slabs(const Norm<T>& n, std::vector<float>& sums, F slab_of) {
  const i64 rows = (n.rows + kSlabs - 1) / kSlabs;
  sums.assign(2 * kSlabs * n.columns, 0);
#pragma omp parallel for schedule(static) if (n.rows * n.columns > kWorthCores)
  for (i64 slab = 0; slab < kSlabs; ++slab) {
    float* const dweight = sums.data() + 2 * slab * n.columns;
    slab_of(std::min(slab * rows, n.rows), std::min((slab + 1) * rows, n.rows), dweight,
            dweight + n.columns);
  }
  for (i64 slab = 1; slab < kSlabs; ++slab)
    for (i64 i = 0; i < 2 * n.columns; ++i) sums[i] += sums[2 * slab * n.columns + i];
  for (i64 i = 0; i < n.columns; ++i) {
    n.dweight[i] = narrow<T>(sums[i]);
    if (n.dbias) n.dbias[i] = narrow<T>(sums[n.columns + i]);
  }
}

// All rows twice: for dx, and for the columns.
template <class T> void backward_twice(const Norm<T>& n, std::vector<float>& sums) {
#pragma omp parallel for schedule(static) if (n.rows * n.columns > kWorthCores)
  for (i64 row = 0; row < n.rows; ++row)
    dx_of(n.row_of_x(row), n.dy + row * n.columns, n.weight, n.saved_mean(row), n.rstd[row],
          means_of(n, row), n.dx + row * n.columns, n.columns);
  by_slabs(n, sums, [&](i64 from, i64 behind, float* dweight, float* dbias) {
    for (i64 row = from; row < behind; ++row)
      add_to_columns(n.row_of_x(row), n.dy + row * n.columns, n.saved_mean(row), n.rstd[row],
                     dweight, dbias, n.columns);
  });
}

}  // namespace
