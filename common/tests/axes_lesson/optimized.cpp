#include <cstdlib>

#include "visit.h"
#include "wb/cpu.h"

namespace {
void run(const Visit::Args& p) {
  if (p.deadly) std::abort();
  for (wb::i64 i = 0; i < p.n; ++i) p.y[i] = 2 * p.x[p.place(i)];
}
}  // namespace

WB_CPU(Visit, optimized, run);
