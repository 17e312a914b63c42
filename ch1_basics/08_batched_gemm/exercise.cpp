// A matrix product written by hand, with no library. It is right, and slow for two reasons: threads
// start and stop once per matrix, and every sum goes back to memory after each addition.
//
// TODO 1: start the threads once for the whole batch.
// TODO 2: let a thread make a small block of C, e.g. 4 x 32 values, whose sums stay in registers.
// Goal: at most 1.5 times as long as optimized at m=64,n=64,k=64,batch=40
// Goal: at most 2.7 times as long as library at m=64,n=64,k=64,batch=40
// Hints are in README.md.
#include <algorithm>

#include "batched_gemm.h"
#include "wb/cpu.h"

namespace {

void run(const BatchedGemm::Args& p) {
  for (wb::i64 matrix = 0; matrix < p.batch; ++matrix) {
    const float* a = p.a + matrix * p.m * p.k;
    const float* b = p.b + matrix * p.k * p.n;
    float* c = p.c + matrix * p.m * p.n;
#pragma omp parallel for schedule(static)
    for (wb::i64 i = 0; i < p.m; ++i) {
      std::fill(c + i * p.n, c + (i + 1) * p.n, 0.0f);
      for (wb::i64 l = 0; l < p.k; ++l)
        for (wb::i64 j = 0; j < p.n; ++j) c[i * p.n + j] += a[i * p.k + l] * b[l * p.n + j];
    }
  }
}

}  // namespace

WB_CPU(BatchedGemm, exercise, run);
