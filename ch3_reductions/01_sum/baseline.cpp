// The loop that one writes first: one accumulator. Each addition waits for the one before it, and
// the compiler may not take them apart: (a + b) + c is not a + (b + c) when both round. (With
// -ffast-math it may. This workbook does without.)
//
// Predict: an addition takes 4 cycles, and a core can begin two vectors of 16 in each cycle. Which
// part of its arithmetic does this loop use?
#include "sum.h"
#include "wb/cpu.h"
#include "wb/half_cpu.h"

namespace {

void run(const Sum::Args& p) {
  with_op(p.op, [&](auto op) {
    wb::with_dtype(p.dtype, [&](auto zero) {
      const auto* x = static_cast<const decltype(zero)*>(p.x);
      float result = op.kNothing;
      for (wb::i64 i = 0; i < p.n; ++i) result = op.of(result, wb::to_float(x[i]));
      *p.result = static_cast<float>(result / p.divisor());
    });
  });
}

}  // namespace

WB_CPU(Sum, baseline, run);
