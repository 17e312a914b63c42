// One sum after the other, as one writes it first: each number of 16 bits becomes fp32, for an
// ordinary multiplication. Blocks of 64 x 64 sums, so that 64 rows of B come from a cache 64 times.
//
// Predict: a sum waits for the addition before it (4 cycles or so). How many operations per second
// is that, of how many that your CPU can do?
#include <algorithm>

#include "tensor_cores.h"
#include "wb/cpu.h"
#include "wb/half_cpu.h"

namespace {

constexpr wb::i64 kBlock = 64;

template <class T> void multiply(wb::i64 m, wb::i64 n, wb::i64 k, const T* a, const T* b, T* c) {
#pragma omp parallel for collapse(2)
  for (wb::i64 row = 0; row < m; row += kBlock)
    for (wb::i64 column = 0; column < n; column += kBlock)
      for (wb::i64 i = row; i < std::min(row + kBlock, m); ++i)
        for (wb::i64 j = column; j < std::min(column + kBlock, n); ++j) {
          float sum = 0;
          for (wb::i64 l = 0; l < k; ++l)
            sum += wb::to_float(a[i * k + l]) * wb::to_float(b[j * k + l]);
          c[i * n + j] = wb::from_float<T>(sum);
        }
}

void run(const TensorCores::Args& p) {
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = decltype(zero);
    multiply(p.m, p.n, p.k, static_cast<const T*>(p.a), static_cast<const T*>(p.b),
             static_cast<T*>(p.c));
  });
}

}  // namespace

WB_CPU(TensorCores, baseline, run);
WB_EXERCISE(RowScaled);
