// Changes against baseline: 64 accumulators per row, in vectors (accumulators.h). (One float per
// addition is 4.87 GB/s on the CPU in README.md.)
//
// Predict: what is the factor for rows of 4096? And for rows of 4, which never fill a vector?
#include "accumulators.h"

namespace {

void run(const InnerAxis::Args& p) {
  with_rows(p, [](auto op, auto r) {
    for (i64 row = 0; row < r.rows; ++row)
      r.finish(row, over_span<decltype(op)>(r.begin(row), r.columns));
  });
}

}  // namespace

WB_CPU(InnerAxis, step1_accumulators, run);
