// The exercise, solved. A slab has four rows at a time: their products are added up in registers,
// so the two sums of a column are loaded and stored once per four rows. 16 slabs are enough for the
// cores of most machines, and few enough to be added up quickly.
#include <algorithm>
#include <vector>

#include "../norms/norms.h"
#include "layernorm_backward.h"

namespace {

constexpr i64 kSlabs = 16, kTogether = 4;  // rows

// Adds `count` rows from `row` on to the sums: kTogether at a time, or the last few one by one.
template <class T>
void add_rows(const Norm<T>& n, i64 row, i64 count, float* __restrict__ dweight,
              float* __restrict__ dbias) {
  const T *x[kTogether], *dy[kTogether];
  float mean[kTogether], rstd[kTogether];
  for (i64 j = 0; j < count; ++j) {
    x[j] = n.row_of_x(row + j), dy[j] = n.dy + (row + j) * n.columns;
    mean[j] = n.saved_mean(row + j), rstd[j] = n.rstd[row + j];
  }
  if (count == kTogether) {
#pragma omp simd
    for (i64 i = 0; i < n.columns; ++i) {
      float weight = 0, bias = 0;
      for (i64 j = 0; j < kTogether; ++j) {
        weight += widen(dy[j][i]) * ((widen(x[j][i]) - mean[j]) * rstd[j]);
        bias += widen(dy[j][i]);
      }
      dweight[i] += weight, dbias[i] += bias;
    }
    return;
  }
  for (i64 j = 0; j < count; ++j)
#pragma omp simd
    for (i64 i = 0; i < n.columns; ++i) {
      dweight[i] += widen(dy[j][i]) * ((widen(x[j][i]) - mean[j]) * rstd[j]);
      dbias[i] += widen(dy[j][i]);
    }
}

auto make(const WeightGradients::Args& p) {
  return [p, sums = std::vector<float>()]() mutable {
    with_norm(p, [&]<class T>(const Norm<T>& n) {
      const i64 rows = (n.rows + kSlabs - 1) / kSlabs;
      sums.assign(2 * kSlabs * n.columns, 0);
#pragma omp parallel for schedule(static)
      for (i64 slab = 0; slab < kSlabs; ++slab) {
        float* const own = sums.data() + 2 * slab * n.columns;
        const i64 end = std::min((slab + 1) * rows, n.rows);
        for (i64 row = slab * rows; row < end; row += kTogether)
          add_rows(n, row, std::min(kTogether, end - row), own, own + n.columns);
      }
      for (i64 slab = 1; slab < kSlabs; ++slab)
        for (i64 i = 0; i < 2 * n.columns; ++i) sums[i] += sums[2 * slab * n.columns + i];
      for (i64 i = 0; i < n.columns; ++i) {
        n.dweight[i] = narrow<T>(sums[i]);
        if (n.dbias) n.dbias[i] = narrow<T>(sums[n.columns + i]);
      }
    });
  };
}

}  // namespace

WB_CPU(WeightGradients, solution, make);
