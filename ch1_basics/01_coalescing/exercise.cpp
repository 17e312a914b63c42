// Exercise: the rows are dealt to the cores like cards, one to each in turn: what is right for the
// lanes of a GPU. The answer is right.
//
// TODO: give each core a run of neighbouring rows. It is a matter of one word.
//
// Goal: 0.9 times step2_row_walk at rows=1048576,columns=16
//
// Think first: a row of this table is one cache line. What does a core's prefetcher see, and what
// would happen with a table of 8 columns, where two rows share a line?
#include "coalescing.h"
#include "wb/cpu.h"

namespace {

void run(const Coalescing::Args& p) {
#pragma omp parallel for schedule(static, 1)
  for (wb::i64 row = 0; row < p.rows; ++row) {
#pragma omp simd
    for (wb::i64 column = 0; column < p.columns; ++column) {
      const wb::i64 i = row * p.columns + column;
      p.y[i] = p.weight[column] * p.x[i];
    }
  }
}

}  // namespace

WB_CPU(Coalescing, exercise, run);
