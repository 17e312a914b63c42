// Bug hunt: the variance as the mean of the squares minus the square of the mean. Both sums are
// found in one loop, so a row is read once for them, in vectors, on all cores. It is fast, right
// for numbers around 0, and wrong:
//
//   ./workbook test 08_layernorm/exercise     rows of numbers around 8192 are far off, or NaN
//
// TODO: see what the two numbers are that are subtracted there, how many digits fp32 has, and how
//       many are left of the difference. Then find the variance in a way that survives the offset.
// Goal: right at every size
// Goal: 0.7 times step2_threads at op=layernorm,dtype=fp32,rows=4096,columns=4096
// Hints are in README.md.
#include "vectors.h"

namespace {

template <class T> void row_of(const Norm<T>& n, i64 row) {
  const T* x = n.row_of_x(row);
  float sums[kChains] = {}, squares[kChains] = {};
  for (i64 i = 0; i < n.columns; i += kChains)
    for (i64 j = 0; j < std::min<i64>(kChains, n.columns - i); ++j) {
      const float value = widen(x[i + j]);
      sums[j] += n.rms ? 0 : value, squares[j] += value * value;
    }
  for (int j = 1; j < kChains; ++j) sums[0] += sums[j], squares[0] += squares[j];
  const float mean = sums[0] / static_cast<float>(n.columns);
  const float rstd = n.rstd_of(squares[0] - mean * sums[0]);
  normalize(x, mean, rstd, n.weight, n.bias, n.y + row * n.columns, n.columns);
}

auto make(const LayerNorm::Args& p) {
  return [=] {
    with_norm(p, [&](auto n) {
#pragma omp parallel for schedule(static) if (n.rows * n.columns > kWorthCores)
      for (i64 row = 0; row < n.rows; ++row) row_of(n, row);
    });
  };
}

}  // namespace

WB_CPU(LayerNorm, exercise, make);
