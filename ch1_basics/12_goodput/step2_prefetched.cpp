// Against step 1: a loader thread draws and gathers the next batches while this one is trained on.
// Some buffers go round between the two threads (lesson 06_double_buffering shows it in detail).
//
// Predict: gathering overlaps with training. What do the two threads now have to share?
#include "prefetch.h"

namespace {

auto make(const Goodput::Args& p) { return Prefetching(p, /*training_threads=*/1); }

}  // namespace

WB_CPU(Goodput, step2_prefetched, make);
