// In addition to the steps: operands rounded to bf16, 8 bits, as a network has them in memory;
// sums in fp32, in the loop's order.
//
// Predict: rounding costs 2^-8 of a factor at most. Some factors become larger, others smaller:
// what is left of it in a sum of 4096 products?
#include "numerics.h"
#include "wb/cpu.h"
#include "wb/half_cpu.h"

namespace {

std::vector<float> rounded(const float* x, wb::i64 count) {
  std::vector<float> y(x, x + count);
  for (float& v : y) v = wb::to_float(wb::from_float<wb::bfloat16>(v));
  return y;
}

void run(const Numerics::Args& p) {
  const auto a = rounded(p.a, p.m * p.k), b = rounded(p.b, p.n * p.k);
  for (wb::i64 i = 0; i < p.m; ++i)
    for (wb::i64 j = 0; j < p.n; ++j) {
      float sum = 0;
      for (wb::i64 l = 0; l < p.k; ++l) sum += a[i * p.k + l] * b[j * p.k + l];
      p.c[i * p.n + j] = sum;
    }
}

double bound(const Numerics::Args& p) {
  constexpr double kLost = wb::kRounding<wb::bfloat16>;
  return p.bound(2 * kLost + kLost * kLost, additions(kUnit, p.k + 1.0));
}

}  // namespace

WB_CPU(Numerics, bf16, run);
WB_BOUND(Numerics, bound);
