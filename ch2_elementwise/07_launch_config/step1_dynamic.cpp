// Changes against baseline: a thread that has finished takes the next chunk that no other thread
// has. That is fair where chunks cost different times, or where another program runs on a core. It
// costs an atomic addition per chunk, for which all threads compete.
//
// Predict: from which chunk size on is that cost small compared with the time of the chunk?
#include "chunk.h"
#include "wb/cpu.h"

namespace {

void run(const LaunchConfig::Args& p) {
#pragma omp parallel num_threads(threads(p))
  {
#pragma omp for schedule(dynamic, 1) nowait
    for (wb::i64 c = 0; c < chunks(p); ++c) scale_chunk(p, c);
    finish_streaming();
  }
}

}  // namespace

WB_CPU(LaunchConfig, step1_dynamic, run);
