// Three loops over a row, one for each formula: the mean, the variance, y. One accumulator in each,
// and one core. Backward: two loops over a row for dx, and then all rows once more for dweight and
// dbias.
//
// Predict: x is read three times. How many of these readings come from memory, with rows of 16 KiB?
// So what is it that takes the time?
#include <vector>

#include "norms.h"

namespace {

template <class T> void forward(const Norm<T>& n) {
  const auto columns = static_cast<float>(n.columns);
  for (i64 row = 0; row < n.rows; ++row) {
    const T* x = n.row_of_x(row);
    T* y = n.y + row * n.columns;
    float mean = 0, squares = 0;
    if (!n.rms) {
      for (i64 i = 0; i < n.columns; ++i) mean += widen(x[i]);
      mean /= columns;
    }
    for (i64 i = 0; i < n.columns; ++i) {
      const float off = widen(x[i]) - mean;
      squares += off * off;
    }
    const float rstd = n.rstd_of(squares);
    for (i64 i = 0; i < n.columns; ++i)
      y[i] = narrow<T>((widen(x[i]) - mean) * rstd * widen(n.weight[i]) +
                       (n.bias ? widen(n.bias[i]) : 0));
  }
}

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

void run(const LayerNorm::Args& p) {
  with_norm(p, [&](auto n) { p.backward ? backward(n) : forward(n); });
}

}  // namespace

WB_CPU(LayerNorm, baseline, run);
