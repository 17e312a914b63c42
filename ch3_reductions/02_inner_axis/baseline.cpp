// One accumulator per row and one core: the loop that one writes first. Each addition waits for the
// one before it, and the compiler may not change that: (a + b) + c is not a + (b + c) in floating
// point.
//
// Predict: an addition takes three or four cycles. How many GB/s is one float per addition?
#include "rows.h"

namespace {

void run(const InnerAxis::Args& p) {
  with_rows(p, [](auto op, auto r) {
    for (i64 row = 0; row < r.rows; ++row) {
      float value = op.identity();
      for (i64 column = 0; column < r.columns; ++column)
        value = op.combine(value, wb::to_float(r.begin(row)[column]));
      r.finish(row, value);
    }
  });
}

}  // namespace

WB_CPU(InnerAxis, baseline, run);
WB_EXERCISE(Magnitudes);
