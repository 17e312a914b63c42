// Chunks are dealt like cards: with two threads, one takes the even chunks and the other the odd
// ones. It is known beforehand which thread takes which chunk, so no thread has to request one.
//
// Predict: from which chunk size on does it make no difference? How many threads use up the memory
// bandwidth, and what do more threads than cores cost?
#include "chunk.h"
#include "wb/cpu.h"

namespace {

void run(const LaunchConfig::Args& p) {
#pragma omp parallel num_threads(threads(p))
  {
#pragma omp for schedule(static, 1) nowait
    for (wb::i64 c = 0; c < chunks(p); ++c) scale_chunk(p, c);
    finish_streaming();
  }
}

}  // namespace

WB_CPU(LaunchConfig, baseline, run);
