// Changes against step1: the loops are swapped, so the core takes the next element in memory. Note
// that this is the walk which is wrong on a GPU: there, it is the lanes that must be neighbours.
//
// Predict: there is no less traffic than in step1, but one instruction can now take 8 or 16
// elements. Does that matter, when memory is the limit?
#include "coalescing.h"
#include "wb/cpu.h"

namespace {

void run(const Coalescing::Args& p) {
#pragma omp parallel for schedule(static)
  for (wb::i64 row = 0; row < p.rows; ++row) {
#pragma omp simd
    for (wb::i64 column = 0; column < p.columns; ++column) {
      const wb::i64 i = row * p.columns + column;
      p.y[i] = p.weight[column] * p.x[i];
    }
  }
}

}  // namespace

WB_CPU(Coalescing, step2_row_walk, run);
