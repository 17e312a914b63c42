// Exercise: four million rows of 4. Row by row into a row of sums, with cores that share the
// columns: right for any matrix, and made for long rows. Here the inner loop has four turns, and
// one core does all the work.
//
// TODO 1: where short rows follow one after the other, read x as one array: 64 elements at a time,
//         into 64 sums. Sum i belongs to column i % columns, if that is the same in each group. The
//         compiler knows the length of the loop and keeps the sums in registers.
// TODO 2: let the cores share the array. The same input must give the same bits on any number of
//         cores, so the pieces must not depend on it.
// TODO 3: what is left after the last 64 elements? And for which columns does all this hold?
// Keep the loop below for matrices that do not fit.
// Goal: 0.7 times optimized at op=sum,dtype=fp32,rows=4194304,columns=4
// Hints are in README.md.
#include "columns.h"

namespace {

constexpr i64 kBlock = 1024;

void run(const OuterAxis::Args& p) {
  with_columns(p, [](auto op, auto c) {
#pragma omp parallel for schedule(static)
    for (i64 first = 0; first < c.columns; first += kBlock) {
      const i64 count = std::min(kBlock, c.columns - first);
      float sum[kBlock];
      std::fill_n(sum, count, op.identity());
      for (i64 row = 0; row < c.rows; ++row) {
        const auto* x = c.row(row) + first;
        for (i64 i = 0; i < count; ++i) sum[i] = op.combine(sum[i], wb::to_float(x[i]));
      }
      for (i64 i = 0; i < count; ++i) c.finish(first + i, sum[i]);
    }
  });
}

}  // namespace

WB_CPU(OuterAxis, exercise, run);
