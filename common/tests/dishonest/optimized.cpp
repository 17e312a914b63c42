#include "third.h"

namespace {
void run(const Third::Args& p) {
  for (wb::i64 i = 0; i < p.n; ++i) p.y[i] = p.x[i] / 3;
}
}  // namespace

WB_CPU(Third, optimized, run);
