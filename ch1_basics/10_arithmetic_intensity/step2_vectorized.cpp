// Changes against step 1: vectors instead of single floats, 8 of them at a time. One instruction
// multiplies and adds 4 to 16 floats, and 8 chains keep two units of 4 cycles' latency busy.
//
// Predict: which degree gains most? And what does a pass of degree 1 wait for now?
#include "arithmetic_intensity.h"
#include "vectors.h"
#include "wb/cpu.h"

namespace {

void pass(wb::i64 n, int degree, const float* in, float* out) {
  const wb::i64 whole = n / kBlock * kBlock;
#pragma omp parallel for schedule(static)
  for (wb::i64 i = 0; i < whole; i += kBlock) {
    Block block;
    block.load(in + i);
    block.apply(degree);
    block.store(out + i);
  }
  apply_rest(n - whole, degree, 1, in + whole, out + whole);
}

void run(const ArithmeticIntensity::Args& p) {
  pass(p.n, p.degree, p.x, p.y);
  for (int i = 1; i < kPasses; ++i) pass(p.n, p.degree, p.y, p.y);
}

}  // namespace

WB_CPU(ArithmeticIntensity, step2_vectorized, run);
