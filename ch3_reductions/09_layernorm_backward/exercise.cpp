// Exercise: dweight and dbias alone, as in the first layer of a network, whose input needs no
// gradient. As in the GPU's baseline a column has one worker, here a core, which walks down all
// rows. It reads one float of each cache line, and comes back for the next float after all rows.
//
// TODO 1: go over the rows instead, and add each row to two arrays of sums.
// TODO 2: no two cores may add to the same sum. Cut the rows into slabs with sums of their own, let
//         cores share the slabs, and add up the slabs at the end. If their number does not depend
//         on the number of cores, the result does not, either.
// TODO 3: the sums are loaded and stored again for each row. What if you add several rows at a
// time?
// Goal: 1.2 times optimized at op=layernorm_backward,dtype=fp32,rows=4096,columns=4096
// Hints are in README.md.
#include "../norms/norms.h"
#include "layernorm_backward.h"

namespace {

template <class T> void columns_of(const Norm<T>& n) {
#pragma omp parallel for schedule(static)
  for (i64 i = 0; i < n.columns; ++i) {
    float dweight = 0, dbias = 0;
    for (i64 row = 0; row < n.rows; ++row) {
      const float dy = widen(n.dy[row * n.columns + i]);
      dweight += dy * (widen(n.row_of_x(row)[i]) - n.saved_mean(row)) * n.rstd[row];
      dbias += dy;
    }
    n.dweight[i] = narrow<T>(dweight);
    if (n.dbias) n.dbias[i] = narrow<T>(dbias);
  }
}

void run(const WeightGradients::Args& p) {
  with_norm(p, [&](auto n) { columns_of(n); });
}

}  // namespace

WB_CPU(WeightGradients, exercise, run);
