// For comparison: elements of fp32, rounded to bf16 when they are added, in one accumulator of
// that type. 8 bits: u = 2^-8, and the range of fp32.
//
// Predict: take elements as parts of the largest, between 0 and 1. What is the largest sum that
// this loop can come to?
#include "serial.h"

namespace {

void run(const Precision::Args& p) {
  if (!p.is("fp32")) throw wb::Unsupported("for elements of fp32; for 16 bits see baseline");
  sum_rows_as<wb::bfloat16>(static_cast<const float*>(p.x), p);
}

// One more: an element is rounded, too.
double bound(const Precision::Args& p) {
  return chain_bound(wb::kRounding<wb::bfloat16>, static_cast<double>(p.n) + 1);
}

}  // namespace

WB_CPU(Precision, bf16, run);
WB_BOUND(Precision, bound);
