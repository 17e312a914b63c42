// The exercise, solved: low is the part that is missing in high, so it is x - high. And of
// (high + low) times (high + low) the mixed terms matter in addition to high high; low low is 2^-16
// of it.
#include "numerics.h"
#include "wb/cpu.h"
#include "wb/half_cpu.h"

namespace {

float in_bf16(float x) { return wb::to_float(wb::from_float<wb::bfloat16>(x)); }

void run(const Numerics::Args& p) {
  for (wb::i64 i = 0; i < p.m; ++i)
    for (wb::i64 j = 0; j < p.n; ++j) {
      float sum = 0;
      for (wb::i64 l = 0; l < p.k; ++l) {
        const float a = p.a[i * p.k + l], a_high = in_bf16(a), a_low = in_bf16(a - a_high);
        const float b = p.b[j * p.k + l], b_high = in_bf16(b), b_low = in_bf16(b - b_high);
        sum += a_high * b_high;
        sum += a_high * b_low;
        sum += a_low * b_high;
      }
      p.c[i * p.n + j] = sum;
    }
}

}  // namespace

WB_CPU(Numerics, solution, run);
