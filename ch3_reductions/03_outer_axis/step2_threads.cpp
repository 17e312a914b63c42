// Changes against step 1: all cores, each with blocks of 1024 columns. The sums of a block are
// 4 KiB, which stay in L1 while the rows go by.
//
// Predict: how many cores work on 4 columns? And how does the prefetcher do, which follows a stream
// to the end of its page of 4 KiB, when a core reads 4 KiB of each row?
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

WB_CPU(OuterAxis, step2_threads, run);
