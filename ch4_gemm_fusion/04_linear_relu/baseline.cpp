// The loop that fusion suggests: for each output walk along a row of x and a row of W, add the
// bias, take the maximum with 0, store. y is written once and never read. But each multiplication
// loads two numbers, and each addition waits for the one before it.
//
// Predict: how many times as long does it take as a library's product with a second loop for bias
// and ReLU, which reads and writes all of y once more?
#include "linear_relu.h"
#include "wb/cpu.h"

namespace {

void run(const LinearRelu::Args& p) {
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = decltype(zero);
    const T *x = static_cast<const T*>(p.x), *w = static_cast<const T*>(p.w);
    const T* bias = static_cast<const T*>(p.bias);
    T* y = static_cast<T*>(p.y);
#pragma omp parallel for
    for (wb::i64 row = 0; row < p.m; ++row)
      for (wb::i64 column = 0; column < p.n; ++column) {
        float sum = 0;
        for (wb::i64 l = 0; l < p.k; ++l) sum += float{x[row * p.k + l]} * w[column * p.k + l];
        y[row * p.n + column] = static_cast<T>(std::max(sum + bias[column], 0.0f));
      }
  });
}

}  // namespace

WB_CPU(LinearRelu, baseline, run);
WB_EXERCISE(LinearClipped);
