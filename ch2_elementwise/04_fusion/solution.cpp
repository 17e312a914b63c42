// The exercise, solved: rows are shared among the cores, and along a row nothing is left that a
// vector instruction could not do. Ordinary stores: each line of y is read before it is written, so
// 16 bytes move for each fp32 element where optimized moves 12.
#include "elementwise.h"

namespace {

void run(const Fusion::Args& p) {
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto bias = static_cast<const T*>(p.bias);
#pragma omp parallel for schedule(static)
    for (wb::i64 row = 0; row < p.rows; ++row) {
      const T* x = static_cast<const T*>(p.x) + row * p.columns;
      const T* residual = static_cast<const T*>(p.residual) + row * p.columns;
      T* y = static_cast<T*>(p.y) + row * p.columns;
#pragma omp simd
      for (wb::i64 i = 0; i < p.columns; ++i)
        y[i] = from_float<T>(gelu(to_float(x[i]) + to_float(bias[i])) * kScale +
                             to_float(residual[i]));
    }
  });
}

}  // namespace

WB_CPU(Fusion, solution, run);
