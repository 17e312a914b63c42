// Exercise: the sum of each column. Each core takes whole columns and walks down one after the
// other, so every cache line of x comes from memory many times. The answer is right.
//
// TODO: walk along the rows, on all cores. A line should come from memory once, to one core, and
// one instruction should add several columns. Think first: once a core walks along rows, it adds to
// every column. Where may it add up, if the other cores add to the same columns at the same time?
// Goal: 1.1 times optimized at rows=1048576,columns=16
// Hints are in README.md.
#include "coalescing.h"
#include "wb/cpu.h"

namespace {

void run(const ColumnSums::Args& p) {
#pragma omp parallel for schedule(static)
  for (wb::i64 column = 0; column < p.columns; ++column) {
    double sum = 0;
    for (wb::i64 row = 0; row < p.rows; ++row) sum += p.x[row * p.columns + column];
    p.sum[column] = sum;
  }
}

}  // namespace

WB_CPU(ColumnSums, exercise, run);
