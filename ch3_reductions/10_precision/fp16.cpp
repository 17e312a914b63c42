// For comparison: elements of fp32, rounded to fp16 when they are added, in one accumulator of
// that type. 11 bits: u = 2^-11, and 65504 is the largest number.
//
// Predict: take elements as parts of the largest, between 0 and 1. What is the largest sum that
// this loop can come to?
#include "serial.h"

namespace {

void run(const Precision::Args& p) {
  if (!p.is("fp32")) throw wb::Unsupported("for elements of fp32; for 16 bits see baseline");
  if (p.tail) throw wb::Unsupported("a tail is below the smallest number of fp16");
  sum_rows_as<wb::half>(static_cast<const float*>(p.x), p);
}

// An element is rounded, too, and what is below 2^-14 a little more.
double bound(const Precision::Args& p) {
  return chain_bound(wb::kRounding<wb::half>, static_cast<double>(p.n) + 2);
}

}  // namespace

WB_CPU(Precision, fp16, run);
WB_BOUND(Precision, bound);
