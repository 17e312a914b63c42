// Changes against step 1: all cores, each with a share of the rows.
//
// Predict: how many cores does it take to use up the memory bandwidth? And how many of eight cores
// work on three rows?
#include "accumulators.h"

namespace {

void run(const InnerAxis::Args& p) {
  with_rows(p, [](auto op, auto r) {
#pragma omp parallel for schedule(static)
    for (i64 row = 0; row < r.rows; ++row)
      r.finish(row, over_span<decltype(op)>(r.begin(row), r.columns));
  });
}

}  // namespace

WB_CPU(InnerAxis, step2_threads, run);
