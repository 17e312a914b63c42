// Step 1 with all cores. It is right, and slow for the reason that step 1 is: after every
// multiply-add a sum goes back to the cache, and comes from there for the next one.
//
// TODO: make a block of C at a time, e.g. 8 rows of 32 values, whose sums stay in registers while
//       the block walks along k. Blocks at the edge are smaller.
// Goal: at most 1.7 times as long as optimized at m=1024,n=1024,k=1024
// Hints are in README.md.
#include <algorithm>

#include "sgemm.h"
#include "wb/cpu.h"

namespace {

void run(const Sgemm::Args& p) {
#pragma omp parallel for schedule(static)
  for (wb::i64 i = 0; i < p.m; ++i) {
    float* to = p.c + i * p.n;
    std::fill(to, to + p.n, 0.0f);
    for (wb::i64 l = 0; l < p.k; ++l)
      for (wb::i64 j = 0; j < p.n; ++j) to[j] += p.a[i * p.k + l] * p.b[l * p.n + j];
  }
}

}  // namespace

WB_CPU(Sgemm, exercise, run);
