// Changes against baseline: the accumulator is fp32, also for elements of 16 bits. (In bf16 the
// baseline stops at 256 times the largest element, because half a unit in the last place is then as
// large as that element. From 2^24 elements of fp32 on, n u says nothing.)
//
// Predict: how many elements of bf16 with one exponent, and 8 bits each, add up without any error?
#include "serial.h"

namespace {

void run(const Precision::Args& p) {
  if (p.is("fp32")) throw wb::Unsupported("that is baseline for elements of fp32");
  wb::with_dtype(
      p.dtype, [&](auto zero) { sum_rows_as<float>(static_cast<const decltype(zero)*>(p.x), p); });
}

double bound(const Precision::Args& p) { return serial_bound(p, kUnit); }

}  // namespace

WB_CPU(Precision, step1_fp32, run);
WB_BOUND(Precision, bound);
