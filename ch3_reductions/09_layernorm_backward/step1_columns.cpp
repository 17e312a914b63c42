// Changes against baseline: vectors, and all cores. A core has some rows for dx.
// The columns are sums over all rows, which no two cores may add to: so rows go to 16 slabs with
// sums of their own, which are added up at the end.
//
// Predict: x and dy are read twice. How often do they come from memory?
#include "gradients.h"

namespace {

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

auto make(const LayerNormBackward::Args& p) {
  return [p, sums = std::vector<float>()]() mutable {
    with_norm(p, [&](auto n) { backward_twice(n, sums); });
  };
}

}  // namespace

WB_CPU(LayerNormBackward, step1_columns, make);
