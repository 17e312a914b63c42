// Two loops. All cores share the rows of `in`, here and in every variant (the library decides for
// itself).
//
// Predict: `in` is walked along its rows. Each float that is written is in another row of `out`, in
// another cache line and another page. When is the rest of that line written?
#include "transpose.h"
#include "wb/cpu.h"

namespace {

void run(const Transpose::Args& p) {
#pragma omp parallel for schedule(static)
  for (wb::i64 row = 0; row < p.rows; ++row)
    for (wb::i64 column = 0; column < p.columns; ++column)
      p.out[column * p.rows + row] = p.in[row * p.columns + column];
}

}  // namespace

WB_CPU(Transpose, baseline, run);
