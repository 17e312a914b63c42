// Exercise: all cores, and chunks of 64 elements for whoever comes first. Nobody ever idles.
//
// TODO: choose threads and chunk so that they suit the number of elements.
// Goal: 0.9 times optimized at elements=8388608,chunk=16384
// Goal: 0.6 times optimized at elements=4096,chunk=1024
// Hints are in README.md.
#include "chunk.h"
#include "wb/cpu.h"

namespace {

struct Choice {
  int threads;
  wb::i64 chunk;  // elements
};

Choice choose([[maybe_unused]] wb::i64 n) { return {.threads = cores(), .chunk = 64}; }

void run(const LaunchConfig::Args& p) {
  const Choice choice = choose(p.n);
  LaunchConfig::Args chosen = p;
  chosen.items = choice.chunk;
#pragma omp parallel num_threads(choice.threads)
  {
#pragma omp for schedule(dynamic, 1) nowait
    for (wb::i64 c = 0; c < chunks(chosen); ++c) scale_chunk(chosen, c);
    finish_streaming();
  }
}

}  // namespace

WB_CPU(LaunchConfig, exercise, run);
