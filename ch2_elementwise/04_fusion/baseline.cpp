// Four operations, four loops, as a library of operations runs them. Each is as good as a loop of
// its kind can be (all cores, vector instructions, large arrays written past the caches), and each
// reads what it needs from memory and writes all of its result back.
//
// Predict: count the arrays that are read and written, here and at the least. What speedup should
// one loop for all four have? What if all arrays fit into the cache?
#include "elementwise.h"

namespace {

void run(const Fusion::Args& p) {
  apply(p, p.x, AddBias{});
  apply(p, p.y, Gelu{});
  apply(p, p.y, Scale{});
  apply(p, p.y, AddResidual{});
}

}  // namespace

WB_CPU(Chain, baseline, run);
WB_EXERCISE(RowScaled);
