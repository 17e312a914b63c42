// Against step 2: eight times as many samples in each step, with steps eight times as large. A
// product of matrices loads its weights once per batch, and is now large enough for all cores to
// share. (The GPU's step 3, a graph, has no counterpart here: calling a function costs nothing like
// a launch.)
//
// Predict: the same operations in larger pieces. How much faster, and how much does goodput rise?
// Does the network still learn as much from one epoch?
#include <omp.h>

#include "prefetch.h"

namespace {

auto make(const LargerBatch::Args& p) { return Prefetching(p, omp_get_max_threads()); }

}  // namespace

WB_CPU(LargerBatch, optimized, make);
