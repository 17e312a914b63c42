// Gradients in whole vectors, for CPU variants.
#pragma once

#include <algorithm>
#include <vector>

#include "../norms/norms.h"
#include "../shared/chains.h"
#include "layernorm_backward.h"

namespace {

constexpr int kSlabs = 16;            // groups of rows whose columns are summed apart
constexpr i64 kWorthCores = 1 << 15;  // elements; with fewer, one core is done sooner

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

// Calls slab_of(first row, row after the last, its sums of dy * xhat, and of dy) for each slab, on
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

}  // namespace
