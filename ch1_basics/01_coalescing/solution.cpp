// A solution of the exercise. Each core walks along a run of rows and adds up in private sums,
// which stay in its L1. At the end the cores add these to p.sum, one core after the other. A sum is
// loaded and stored once per 8 rows: an addition waits for the one before it, and would wait even
// longer for a value that was just stored.
#include <algorithm>
#include <vector>

#include "coalescing.h"
#include "wb/cpu.h"

namespace {

constexpr wb::i64 kRows = 8;

// Adds `rows` rows from `x` on to the sums; inlined, `rows` is a constant.
inline void add(wb::i64 rows, wb::i64 columns, const float* x, double* sums) {
#pragma omp simd
  for (wb::i64 column = 0; column < columns; ++column) {
    double sum = sums[column];
    for (wb::i64 row = 0; row < rows; ++row) sum += x[row * columns + column];
    sums[column] = sum;
  }
}

void run(const ColumnSums::Args& p) {
  std::fill_n(p.sum, p.columns, 0.0);
#pragma omp parallel
  {
    std::vector<double> own(p.columns);
#pragma omp for schedule(static) nowait
    for (wb::i64 block = 0; block < p.rows / kRows; ++block)
      add(kRows, p.columns, p.x + block * kRows * p.columns, own.data());
#pragma omp for schedule(static) nowait
    for (wb::i64 row = p.rows / kRows * kRows; row < p.rows; ++row)
      add(1, p.columns, p.x + row * p.columns, own.data());
#pragma omp critical
    for (wb::i64 column = 0; column < p.columns; ++column) p.sum[column] += own[column];
  }
}

}  // namespace

WB_CPU(ColumnSums, solution, run);
