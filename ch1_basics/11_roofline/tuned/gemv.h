// Four rows of the matrix at a time, with a vector of sums for each: the additions of one row wait
// for each other, those of four rows don't, and a value of b serves all four.
#pragma once

#include <algorithm>

#include "../roofline.h"
#include "vector.h"

namespace {

inline void gemv(const Roofline::Args& p) {
  constexpr wb::i64 kRows = 4;
  const wb::i64 whole = p.n / kLanes * kLanes;
#pragma omp parallel for schedule(static)
  for (wb::i64 first = 0; first < p.m; first += kRows) {
    const float* row[kRows];
    for (wb::i64 r = 0; r < kRows; ++r) row[r] = p.a + std::min(first + r, p.m - 1) * p.n;
    Vector sum[kRows] = {};
    for (wb::i64 j = 0; j < whole; j += kLanes) {
      const Vector x = load(p.b + j);
#pragma GCC unroll 4
      for (wb::i64 r = 0; r < kRows; ++r) sum[r] += load(row[r] + j) * x;
    }
    for (wb::i64 r = 0; r < std::min(kRows, p.m - first); ++r) {
      float total = 0;
      for (int lane = 0; lane < kLanes; ++lane) total += sum[r][lane];
      for (wb::i64 j = whole; j < p.n; ++j) total += row[r][j] * p.b[j];
      p.c[first + r] = total;
    }
  }
}

}  // namespace
