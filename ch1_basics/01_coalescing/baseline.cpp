// Column by column, as one thinks of a table: take a feature, treat all its samples, take the next.
// All cores share the rows, here and in every variant.
//
// Predict: neighbouring elements of a column are a row (64 bytes here: one cache line) apart. How
// often does each cache line of x travel from memory to the core?
#include "coalescing.h"
#include "wb/cpu.h"

namespace {

void run(const Coalescing::Args& p) {
  for (wb::i64 column = 0; column < p.columns; ++column) {
#pragma omp parallel for schedule(static)
    for (wb::i64 row = 0; row < p.rows; ++row) {
      const wb::i64 i = row * p.columns + column;
      p.y[i] = p.weight[column] * p.x[i];
    }
  }
}

}  // namespace

WB_CPU(Coalescing, baseline, run);
WB_EXERCISE(ColumnSums);
