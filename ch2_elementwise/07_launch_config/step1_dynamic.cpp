// Changes against baseline: a thread that has finished takes the next chunk that nobody has. That
// is fair where chunks cost different times, or where something else runs on a core; it costs an
// atomic addition per chunk, for which all threads compete.
//
// Predict: at which chunk is that cost lost in the time of the chunk itself?
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
