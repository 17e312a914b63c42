// The exercise, solved: the elements at i and count - 1 - i change places and depend on no other
// element. A turn of the loop takes such a pair, reads both, and only then writes both.
#include "call.h"

namespace {

void turn(float* x, wb::i64 count) {
  const wb::i64 half = (count + 1) / 2;  // the middle one, if there is one, is a pair with itself
#pragma omp parallel for schedule(static) if (count >= kWorthThreads)
  for (wb::i64 i = 0; i < half; ++i) {
    const float front = x[i], back = x[count - 1 - i];
    x[i] = leaky_relu(back);
    x[count - 1 - i] = leaky_relu(front);
  }
}

void run(const Turning::Args& p) {
  for (int i = 0; i < p.calls; ++i) turn(p.y, p.count);
}

}  // namespace

WB_CPU(Turning, solution, run);
WB_NOTE("another problem than the baseline's: each call also turns the array round");
