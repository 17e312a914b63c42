// The exercise, solved: blocks of 8 rows and two vectors, whose sums stay in registers; of 6 rows
// where there are 16 registers, not 32. A value of A serves two vectors, a vector of B all rows of
// a block. The columns of B that a core works on it copies side by side first: rows of 4 KiB would
// collide in the cache.
#include <algorithm>
#include <cstring>
#include <vector>

#include "sgemm.h"
#include "wb/cpu.h"

namespace {

#ifdef __AVX512F__
constexpr int kLanes = 16, kRows = 8;
#else
constexpr int kLanes = 8, kRows = 6;
#endif
using Vector [[gnu::vector_size(4 * kLanes)]] = float;
constexpr int kColumns = 2 * kLanes;

// Rows past the end take the last one again, and are not stored.
void block(const Sgemm::Args& p, const float* strip, wb::i64 row0, wb::i64 column0, wb::i64 wide) {
  const float* row[kRows];
  for (int r = 0; r < kRows; ++r) row[r] = p.a + std::min<wb::i64>(row0 + r, p.m - 1) * p.k;
  Vector sum[kRows][2] = {};
  for (wb::i64 l = 0; l < p.k; ++l) {
    Vector right[2];
    std::memcpy(&right[0], strip + l * kColumns, sizeof right[0]);
    std::memcpy(&right[1], strip + l * kColumns + kLanes, sizeof right[1]);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      sum[r][0] += row[r][l] * right[0];
      sum[r][1] += row[r][l] * right[1];
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r)
    if (row0 + r < p.m) std::memcpy(p.c + (row0 + r) * p.n + column0, sum[r], wide * sizeof(float));
}

void run(const Sgemm::Args& p) {
#pragma omp parallel
  {
    std::vector<float> strip(p.k * kColumns);
#pragma omp for schedule(dynamic)
    for (wb::i64 column = 0; column < p.n; column += kColumns) {
      const wb::i64 wide = std::min<wb::i64>(kColumns, p.n - column);
      for (wb::i64 l = 0; l < p.k; ++l)
        std::memcpy(&strip[l * kColumns], p.b + l * p.n + column, wide * sizeof(float));
      for (wb::i64 row = 0; row < p.m; row += kRows) block(p, strip.data(), row, column, wide);
    }
  }
}

}  // namespace

WB_CPU(Sgemm, solution, run);
