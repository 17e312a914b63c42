// The definition, written down: each value of C is a sum along a row of A and a column of B, on one
// core. The columns are slow: the next value of B is n floats away, in another cache line.
//
// Predict: a cache line holds 16 floats. How many of them does the inner loop use before the line
// is gone? And which of the three loops could walk along rows of B instead?
#include "sgemm.h"
#include "wb/cpu.h"

namespace {

auto make(const Sgemm::Args& p) {
  if (1.0 * p.m * p.n * p.k > 0x1.1p30) throw wb::Unsupported("would take most of a minute");
  return [p] {
    for (wb::i64 i = 0; i < p.m; ++i)
      for (wb::i64 j = 0; j < p.n; ++j) {
        float sum = 0;
        for (wb::i64 l = 0; l < p.k; ++l) sum += p.a[i * p.k + l] * p.b[l * p.n + j];
        p.c[i * p.n + j] = sum;
      }
  };
}

}  // namespace

WB_CPU(Sgemm, baseline, make);
