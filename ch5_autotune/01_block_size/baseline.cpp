// The code that people write first: all cores, an equal share for each, plain loops. A search
// begins with this default.
//
// Predict: in which of the cases does memory wait for the additions, because a row has one sum?
#include <omp.h>

#include "block_size.h"
#include "kernel.h"
#include "wb/cpu.h"

namespace {

void run(const BlockSize::Args& p) {
  const Work w{p.rows, p.columns, p.a, p.b, p.y};
  const Team team{.threads = omp_get_max_threads(), .shares = 1};
  if (p.op == Operation::add) compute<Add{.lines = 1, .past = false}>(w, team);
  if (p.op == Operation::rows) compute<Rows{.lanes = 1, .rows = 1}>(w, team);
  if (p.op == Operation::columns) compute<Columns{.strip = 16, .depth = 1, .past = false}>(w, team);
}

}  // namespace

WB_CPU(BlockSize, baseline, run);
