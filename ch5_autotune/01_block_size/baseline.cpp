// What one writes first: all cores, an equal share for each, plain loops. It is the default that a
// search begins with.
//
// Predict: which of the cases does one sum per row hold up, so that memory waits for the additions?
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
