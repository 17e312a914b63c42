// A block of elements that stays in L1, for the CPU variants after step 1. Values that are stored
// in 16 bits are converted to floats, go through the operation, and are converted back. Each of the
// three is a loop of vector instructions.
#pragma once

#include <type_traits>

#include "storage.h"
#include "vector_functions.h"

constexpr int kBlock = 512;
constexpr wb::i64 kWorthThreads = 1 << 14;  // elements

// z[i] = op(x[i], y[i]) for n <= kBlock elements.
template <class Op, class T> void compute_block(Op op, const T* x, const T* y, T* z, int n) {
  if constexpr (std::is_same_v<T, float>) {
#pragma omp simd
    for (int i = 0; i < n; ++i) z[i] = vectorizable(op, x[i], op.binary ? y[i] : 0);
  } else {
    alignas(64) float a[kBlock], b[kBlock];
    to_floats(x, a, n);
    if (op.binary) to_floats(y, b, n);
#pragma omp simd
    for (int i = 0; i < n; ++i) a[i] = vectorizable(op, a[i], op.binary ? b[i] : 0);
    from_floats(a, z, n);
  }
}
