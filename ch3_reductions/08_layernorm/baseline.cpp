// Three loops over a row, one for each formula: the mean, the variance, y. One accumulator in each,
// and one core.
//
// Predict: x is read three times. How many of these readings come from memory, with rows of 16 KiB?
// So what is it that takes the time?
#include "../norms/norms.h"
#include "layernorm.h"

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

void run(const LayerNorm::Args& p) {
  with_norm(p, [&](auto n) { forward(n); });
}

}  // namespace

WB_CPU(LayerNorm, baseline, run);
