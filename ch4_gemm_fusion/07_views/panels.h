// Packed panels and the product of two of them, for optimized.cpp and the exercise. A panel has
// `depth` lines; a line has kRows neighbours of A, or kColumns of B, one after the other.
#pragma once

#include <algorithm>
#include <cstring>

#include "wb/problem.h"

// Lanes that are multiplied and added at once: the widest that the machine has.
#ifdef __AVX512F__
constexpr int kLanes = 16, kRows = 12;
#elif defined(__AVX__)
constexpr int kLanes = 8, kRows = 6;
#else
constexpr int kLanes = 4, kRows = 6;
#endif
constexpr int kColumns = 2 * kLanes;
using Vector [[gnu::vector_size(4 * kLanes)]] = float;

inline Vector load(const float* from) {
  Vector v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
inline void store(float* to, Vector v) { std::memcpy(to, &v, sizeof v); }

// c[kRows][kColumns] = left right. All sums stay in registers: kRows * 2 vectors.
inline void multiply_panels(wb::i64 depth, const float* left, const float* right, float* c) {
  Vector sum[kRows][2] = {};
  for (wb::i64 l = 0; l < depth; ++l, left += kRows, right += kColumns) {
    const Vector v = load(right), w = load(right + kLanes);
#pragma GCC unroll 12
    for (int r = 0; r < kRows; ++r) sum[r][0] += left[r] * v, sum[r][1] += left[r] * w;
  }
#pragma GCC unroll 12
  for (int r = 0; r < kRows; ++r) {
    store(c + r * kColumns, sum[r][0]);
    store(c + r * kColumns + kLanes, sum[r][1]);
  }
}
