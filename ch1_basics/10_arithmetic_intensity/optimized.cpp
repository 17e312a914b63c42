// Changes against step 2: one pass. A block stays in registers between one P and the next, and its
// result goes past the caches to memory: each element is read once and written once.
//
// Predict: what does that gain at degree 1, and what at degree 512, where arithmetic decides?
#include "arithmetic_intensity.h"
#include "vectors.h"
#include "wb/cpu.h"

namespace {

void run(const ArithmeticIntensity::Args& p) {
  const wb::i64 whole = p.n / kBlock * kBlock;
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (wb::i64 i = 0; i < whole; i += kBlock) {
      Block block;
      block.load(p.x + i);
      for (int pass = 0; pass < kPasses; ++pass) block.apply(p.degree);
      block.stream(p.y + i);
    }
    finish_streaming();
  }
  apply_rest(p.n - whole, p.degree, kPasses, p.x + whole, p.y + whole);
}

}  // namespace

WB_CPU(ArithmeticIntensity, optimized, run);
