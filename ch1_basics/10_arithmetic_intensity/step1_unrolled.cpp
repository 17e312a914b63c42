// Changes against baseline: four elements at a time, so four chains of multiply-adds that do not
// wait for each other, and a coefficient is fetched once for the four. (g++ 12 even puts the four
// into one vector register. To the core that is one chain again, of four-fold instructions.)
//
// Predict: four times as fast at degree 512? And at degree 1, where a core has many elements in the
// works at the same time anyway?
#include "arithmetic_intensity.h"
#include "wb/cpu.h"

namespace {

constexpr Coefficients coefficients = make_coefficients();
constexpr int kValues = 4;

template <int kCount> void apply(int degree, const float* in, float* out) {
  float x[kCount], value[kCount];
  for (int i = 0; i < kCount; ++i) x[i] = in[i], value[i] = coefficients[degree];
  for (int j = degree - 1; j >= 0; --j)
    for (int i = 0; i < kCount; ++i) value[i] = value[i] * x[i] + coefficients[j];
  for (int i = 0; i < kCount; ++i) out[i] = value[i];
}

void pass(wb::i64 n, int degree, const float* in, float* out) {
#pragma omp parallel for schedule(static)
  for (wb::i64 i = 0; i < n / kValues; ++i)
    apply<kValues>(degree, in + i * kValues, out + i * kValues);
  for (wb::i64 i = n / kValues * kValues; i < n; ++i) apply<1>(degree, in + i, out + i);
}

void run(const ArithmeticIntensity::Args& p) {
  pass(p.n, p.degree, p.x, p.y);
  for (int i = 1; i < kPasses; ++i) pass(p.n, p.degree, p.y, p.y);
}

}  // namespace

WB_CPU(ArithmeticIntensity, step1_unrolled, run);
