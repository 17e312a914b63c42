// Two loops over each row for dx: the two means, then dx. Then all rows once more for dweight and
// dbias. One accumulator per sum, and one core.
//
// Predict: which of these loops can the compiler turn into vector instructions as they are, and in
// which does each addition wait for the one before it?
#include <vector>

#include "../norms/norms.h"
#include "layernorm_backward.h"

namespace {

template <class T> void backward(const Norm<T>& n) {
  std::vector<float> dweight(n.columns), dbias(n.columns);
  for (i64 row = 0; row < n.rows; ++row) {
    const T *x = n.row_of_x(row), *dy = n.dy + row * n.columns;
    const float mean = n.saved_mean(row), rstd = n.rstd[row];
    float mean_g = 0, mean_gx = 0;
    for (i64 i = 0; i < n.columns; ++i) {
      const float g = widen(dy[i]) * widen(n.weight[i]);
      mean_g += g, mean_gx += g * (widen(x[i]) - mean) * rstd;
    }
    mean_g = n.rms ? 0 : mean_g / static_cast<float>(n.columns);
    mean_gx /= static_cast<float>(n.columns);
    for (i64 i = 0; i < n.columns; ++i) {
      const float g = widen(dy[i]) * widen(n.weight[i]);
      const float xhat = (widen(x[i]) - mean) * rstd;
      n.dx[row * n.columns + i] = narrow<T>(rstd * (g - mean_g - xhat * mean_gx));
    }
  }
  for (i64 row = 0; row < n.rows; ++row) {
    const T *x = n.row_of_x(row), *dy = n.dy + row * n.columns;
    const float mean = n.saved_mean(row), rstd = n.rstd[row];
    for (i64 i = 0; i < n.columns; ++i) {
      dweight[i] += widen(dy[i]) * (widen(x[i]) - mean) * rstd;
      dbias[i] += widen(dy[i]);
    }
  }
  for (i64 i = 0; i < n.columns; ++i) {
    n.dweight[i] = narrow<T>(dweight[i]);
    if (n.dbias) n.dbias[i] = narrow<T>(dbias[i]);
  }
}

void run(const LayerNormBackward::Args& p) {
  with_norm(p, [&](auto n) { backward(n); });
}

}  // namespace

WB_CPU(LayerNormBackward, baseline, run);
WB_EXERCISE(WeightGradients);
