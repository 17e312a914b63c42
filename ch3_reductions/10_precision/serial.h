// A row in order, with one accumulator of type S: the loop that one writes first. A CPU adds 16-bit
// numbers in fp32 and rounds each sum. The bits are those of an addition in 16 bits, because fp32
// has more than twice as many digits.
#pragma once

#include "precision.h"
#include "wb/cpu.h"
#include "wb/half_cpu.h"

namespace {

template <class S, class T> void sum_rows_as(const T* x, const Precision::Args& p) {
  for (wb::i64 i = 0; i < p.sums; ++i, x += p.n) {
    S sum{};
    for (wb::i64 j = 0; j < p.n; ++j) {
      if constexpr (sizeof(S) == 2) {
        const float element = wb::to_float(wb::from_float<S>(wb::to_float(x[j])));
        sum = wb::from_float<S>(wb::to_float(sum) + element);
      } else {
        sum += wb::to_float(x[j]);
      }
    }
    p.y[i] = static_cast<float>(sum);
  }
}

// An addition per element; that the first one is exact is left out of account.
inline double serial_bound(const Precision::Args& p, double u) {
  return chain_bound(u, static_cast<double>(p.n));
}

}  // namespace
