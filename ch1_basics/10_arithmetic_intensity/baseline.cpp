// The filter as one writes it first: a function that applies P to an array, one element after the
// other, called four times. Every pass reads all elements from memory and writes all of them back.
//
// Predict: a pass does 2 FLOPs per degree for 8 bytes. Each multiply-add of an element waits for
// the one before, some four cycles. How far below the peak of a core with vector units does that
// leave it?
#include "arithmetic_intensity.h"
#include "wb/cpu.h"

namespace {

constexpr Coefficients coefficients = make_coefficients();

void pass(wb::i64 n, int degree, const float* in, float* out) {
#pragma omp parallel for schedule(static)
  for (wb::i64 i = 0; i < n; ++i) {
    const float x = in[i];
    float value = coefficients[degree];
    for (int j = degree - 1; j >= 0; --j) value = value * x + coefficients[j];
    out[i] = value;
  }
}

void run(const ArithmeticIntensity::Args& p) {
  pass(p.n, p.degree, p.x, p.y);
  for (int i = 1; i < kPasses; ++i) pass(p.n, p.degree, p.y, p.y);
}

}  // namespace

WB_CPU(ArithmeticIntensity, baseline, run);
