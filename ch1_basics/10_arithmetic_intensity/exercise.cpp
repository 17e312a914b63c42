// Four passes over a thread's share of the array, with vectors. Think of pass() as part of a
// library that you cannot change, so the passes cannot become one. But you choose what you call it
// for.
//
// TODO: between the passes, keep the values in a cache instead of sending them through memory.
// Goal: at most 1.8 times as long as optimized at elements=8388608,degree=1
// Hints are in README.md.
#include <omp.h>

#include "arithmetic_intensity.h"
#include "vectors.h"
#include "wb/cpu.h"

namespace {

void pass(wb::i64 n, int degree, const float* in, float* out) {
  const wb::i64 whole = n / kBlock * kBlock;
  for (wb::i64 i = 0; i < whole; i += kBlock) {
    Block block;
    block.load(in + i);
    block.apply(degree);
    block.store(out + i);
  }
  apply_rest(n - whole, degree, 1, in + whole, out + whole);
}

void run(const ArithmeticIntensity::Args& p) {
#pragma omp parallel
  {
    const wb::i64 threads = omp_get_num_threads(), self = omp_get_thread_num();
    const wb::i64 first = p.n * self / threads, last = p.n * (self + 1) / threads;
    pass(last - first, p.degree, p.x + first, p.y + first);
    for (int i = 1; i < kPasses; ++i) pass(last - first, p.degree, p.y + first, p.y + first);
  }
}

}  // namespace

WB_CPU(ArithmeticIntensity, exercise, run);
