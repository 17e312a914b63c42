// Column by column on one core: the loop that says what is wanted. Elements of a column are a whole
// row apart, so each is in a cache line of its own.
//
// Predict: a line is 64 bytes, and a column of 4096 touches 4096 of them. Are they still in a cache
// when the next column wants their next 4 bytes? And with rows of 4?
#include "columns.h"

namespace {

void run(const OuterAxis::Args& p) {
  with_columns(p, [](auto op, auto c) {
    for (i64 column = 0; column < c.columns; ++column) {
      float value = op.identity();
      for (i64 row = 0; row < c.rows; ++row)
        value = op.combine(value, wb::to_float(c.row(row)[column]));
      c.finish(column, value);
    }
  });
}

}  // namespace

WB_CPU(OuterAxis, baseline, run);
