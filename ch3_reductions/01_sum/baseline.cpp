// The loop that one writes first: one accumulator. Each addition waits for the one before it, and
// the compiler may not take them apart: (a + b) + c is not a + (b + c) where both round. (With
// -ffast-math it may. This workbook does without.)
//
// Predict: an addition takes 4 cycles or so, and a core could begin two in each cycle, on vectors
// of 8 or 16 numbers. Which part of its arithmetic does this loop use?
#include "sum.h"
#include "wb/cpu.h"

namespace {

void run(const Sum::Args& p) {
  with_op(p.op, [&](auto op) {
    wb::with_dtype(p.dtype, [&](auto zero) {
      const auto* x = static_cast<const decltype(zero)*>(p.x);
      float result = op.identity();
      for (wb::i64 i = 0; i < p.n; ++i) result = op.combine(result, static_cast<float>(x[i]));
      *p.result = static_cast<float>(result / p.divisor());
    });
  });
}

}  // namespace

WB_CPU(Sum, baseline, run);
WB_EXERCISE(Range);
