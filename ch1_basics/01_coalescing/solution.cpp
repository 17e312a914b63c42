// A solution of the exercise: one long run of rows for each core. On a CPU work is cut like a cake,
// on a GPU it is dealt like cards: a core's neighbour in time is its own next step, a lane's is the
// lane beside it.
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

WB_CPU(Coalescing, solution, run);
