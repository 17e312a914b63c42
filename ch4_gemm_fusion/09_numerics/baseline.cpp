// The plain loop: for each element of C one accumulator of fp32, which takes the
// products in order. Each addition is rounded to nearest: off by half a unit in the last place of
// the sum so far, up or down.
//
// Predict: k = 4096. The bound is k u: how much is that? Roundings of either sign mostly cancel:
// how much is sqrt(k) u?
#include "numerics.h"
#include "wb/cpu.h"

namespace {

void run(const Numerics::Args& p) {
  for (wb::i64 i = 0; i < p.m; ++i)
    for (wb::i64 j = 0; j < p.n; ++j) {
      float sum = 0;
      for (wb::i64 l = 0; l < p.k; ++l) sum += p.a[i * p.k + l] * p.b[j * p.k + l];
      p.c[i * p.n + j] = sum;
    }
}

// A product and its addition are rounded: twice per term, where the compiler makes no fma of them.
double bound(const Numerics::Args& p) { return p.bound(0, additions(kUnit, p.k + 1.0)); }

}  // namespace

WB_CPU(Numerics, baseline, run);
WB_BOUND(Numerics, bound);
