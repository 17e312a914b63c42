// B is copied once into panels, two vectors wide, so that the inner loop reads it in order; a block
// of C, a few rows high and one panel wide, stays in registers while it walks along k. (Chapter 4
// gets here in small steps, and further.)
#pragma once

#include <algorithm>
#include <vector>

#include "../roofline.h"
#include "vector.h"

namespace {

constexpr int kRows = kLanes == 16 ? 8 : 6;  // 16 sums of 32 registers, or 12 of 16
constexpr int kColumns = 2 * kLanes;

// kRows x kColumns values of C. Rows past the end repeat the last one, and are not stored.
inline void block(const Roofline::Args& p, wb::i64 row0, wb::i64 column0, const Vector* panel) {
  const float* row[kRows];
  for (int r = 0; r < kRows; ++r) row[r] = p.a + std::min<wb::i64>(row0 + r, p.m - 1) * p.k;
  Vector sum[kRows][2] = {};
  for (wb::i64 l = 0; l < p.k; ++l) {
    const Vector left = panel[2 * l], right = panel[2 * l + 1];
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      sum[r][0] += row[r][l] * left;
      sum[r][1] += row[r][l] * right;
    }
  }
  const wb::i64 columns = std::min<wb::i64>(kColumns, p.n - column0);
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    if (row0 + r >= p.m) break;
    float* to = p.c + (row0 + r) * p.n + column0;
    if (columns == kColumns)
      store(to, sum[r][0]), store(to + kLanes, sum[r][1]);
    else
      std::memcpy(to, sum[r], columns * sizeof(float));
  }
}

// `panels` holds k * 2 vectors for each kColumns columns of B.
inline void matmul(const Roofline::Args& p, std::vector<Vector>& panels) {
  const wb::i64 count = (p.n + kColumns - 1) / kColumns;
#pragma omp parallel
  {
#pragma omp for collapse(2) schedule(static)
    for (wb::i64 panel = 0; panel < count; ++panel)
      for (wb::i64 l = 0; l < p.k; ++l) {
        const wb::i64 first = panel * kColumns, columns = std::min<wb::i64>(kColumns, p.n - first);
        Vector* to = &panels[(panel * p.k + l) * 2];
        to[0] = to[1] = Vector{};
        std::memcpy(to, p.b + l * p.n + first, columns * sizeof(float));
      }
#pragma omp for collapse(2) schedule(static)
    for (wb::i64 panel = 0; panel < count; ++panel)
      for (wb::i64 row0 = 0; row0 < p.m; row0 += kRows)
        block(p, row0, panel * kColumns, &panels[panel * p.k * 2]);
  }
}

}  // namespace
