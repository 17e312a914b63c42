// Against step 1: the *online softmax*. Keys come in blocks; a query keeps its maximum, its sum
// and its result so far, and when a block has a larger maximum, sum and result are scaled down to
// it. No row of scores is needed any more, so a tile of 32 queries works on 12 KB of scores, and
// both products are our own micro-kernel (tiles.h).
//
// Predict: which part takes the time now? std::exp2 is called for one number after the other.
#include "tiles.h"
#include "wb/cpu.h"

namespace {

attention::Vector exp2(attention::Vector x) {
  for (int lane = 0; lane < attention::kLanes; ++lane) x[lane] = std::exp2(x[lane]);
  return x;
}

auto make(const Attention::Args& p) {
  return wb::with_dtype(p.dtype, [&](auto zero) -> std::function<void()> {
    return attention::make<decltype(zero)>(p, exp2);
  });
}

}  // namespace

WB_CPU(Attention, step2_online, make);
