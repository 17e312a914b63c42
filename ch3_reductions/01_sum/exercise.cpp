// Exercise: the smallest and the largest of n numbers, the range that a conversion to 8 bits needs.
// One pass over the array finds both, so it reads no byte too many. But each comparison waits for
// the one before it, and one core does it all.
//
// TODO 1: give each result several vectors of accumulators (vectors.h).
// TODO 2: give each core a share of the array, and bring the shares together.
// Goal: 0.6 times optimized at op=sum,dtype=fp32,elements=67108864
// Hints are in README.md.
#include "pieces.h"
#include "sum.h"
#include "wb/cpu.h"

namespace {

void run(const Range::Args& p) {
  wb::with_dtype(p.dtype, [&](auto zero) {
    const auto* x = static_cast<const decltype(zero)*>(p.x);
    float smallest = Minimum::identity(), largest = Maximum::identity();
    for (wb::i64 i = 0; i < p.n; ++i) {
      const float value = static_cast<float>(x[i]);
      smallest = Minimum::combine(smallest, value);
      largest = Maximum::combine(largest, value);
    }
    p.result[0] = smallest, p.result[1] = largest;
  });
}

}  // namespace

WB_CPU(Range, exercise, run);
WB_NOTE("another problem than the baseline's: the smallest and the largest, in one array");
