// Changes against step 2: in place, f(x, out=x). One array instead of three. No later code may need
// the input.
//
// Predict: the line that is written has just been read. How many bytes per element is that less,
// and what if the array fits into the last cache?
#include "call.h"

namespace {

void run(const Overwriting::Args& p) {
  for (int i = 0; i < p.calls; ++i) call(p.y, p.y, p.count);
}

}  // namespace

WB_CPU(Overwriting, optimized, run);
WB_PROBLEM(Overwriting);
