// Changes against step 1: the accumulator is fp64. One addition per element, in order, each of
// which waits for the one before it, as in fp32. The result is exact but for its own rounding to
// fp32.
//
// Predict: is it slower than one accumulator of fp32? And what if both came in vectors?
#include "serial.h"

namespace {

void run(const Precision::Args& p) {
  wb::with_dtype(
      p.dtype, [&](auto zero) { sum_rows_as<double>(static_cast<const decltype(zero)*>(p.x), p); });
}

double bound(const Precision::Args& p) { return kUnit + serial_bound(p, 0x1p-53); }

}  // namespace

WB_CPU(Precision, step3_fp64, run);
WB_BOUND(Precision, bound);
