// The loop that one writes first: `T sum`, an accumulator of the elements' own type, and additions
// in order. Each is off by half a unit in the last place of the sum so far, so that n of them may
// be off by n u of the sum. In practice errors of either sign mostly cancel, and about sqrt(n) u is
// left, until the sum is some 1 / u times as large as the largest element and stops growing.
//
// Predict: fp32 has 24 bits. For which n does the bound say nothing at all? And bf16, with 8 bits:
// take elements as parts of the largest, between 0 and 1. At which sum does adding one more change
// nothing?
#include "serial.h"

namespace {

void run(const Precision::Args& p) {
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = decltype(zero);
    sum_rows_as<T>(static_cast<const T*>(p.x), p);
  });
}

double bound(const Precision::Args& p) {
  return wb::with_dtype(p.dtype,
                        [&](auto zero) { return serial_bound(p, wb::kRounding<decltype(zero)>); });
}

}  // namespace

WB_CPU(Precision, baseline, run);
WB_BOUND(Precision, bound);
