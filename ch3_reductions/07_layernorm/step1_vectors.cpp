// Changes against baseline: 64 accumulators per sum (vectors.h), so that the compiler makes vectors
// of all three loops. Backward: the same for its sums; and the columns' sums of dweight and dbias
// were vectors already, as each column has its own.
//
// Predict: how many additions can be on their way with 64 accumulators, and how many with one?
#include "vectors.h"

namespace {

template <class T> void backward(const Norm<T>& n) {
  std::vector<float> dweight(n.columns), dbias(n.columns);
  for (i64 row = 0; row < n.rows; ++row) {
    const T *x = n.row_of_x(row), *dy = n.dy + row * n.columns;
    dx_of(x, dy, n.weight, n.saved_mean(row), n.rstd[row], means_of(n, row), n.dx + row * n.columns,
          n.columns);
  }
  for (i64 row = 0; row < n.rows; ++row)
    add_to_columns(n.row_of_x(row), n.dy + row * n.columns, n.saved_mean(row), n.rstd[row],
                   dweight.data(), dbias.data(), n.columns);
  for (i64 i = 0; i < n.columns; ++i) {
    n.dweight[i] = narrow<T>(dweight[i]);
    if (n.dbias) n.dbias[i] = narrow<T>(dbias[i]);
  }
}

void run(const LayerNorm::Args& p) {
  with_norm(p, [&](auto n) {
    if (p.backward) return backward(n);
    for (i64 row = 0; row < n.rows; ++row) forward_row(n, row);
  });
}

}  // namespace

WB_CPU(LayerNorm, step1_vectors, run);
