// The loop that one writes first: one core. The compiler makes vector instructions of it by itself
// (-O3 -march=native), for bf16 too: what rounding.h does for it has no branch.
//
// Predict: how much of the machine's memory bandwidth can one core draw?
#include "add.h"
#include "rounding.h"
#include "wb/cpu.h"

namespace {

void run(const Add::Args& p) {
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = decltype(zero);
    const T* x = static_cast<const T*>(p.x);
    const T* y = static_cast<const T*>(p.y);
    T* z = static_cast<T*>(p.z);
    for (wb::i64 i = 0; i < p.n; ++i)
      z[i] = rounded<T>(static_cast<float>(x[i]) + static_cast<float>(y[i]));
  });
}

}  // namespace

WB_CPU(Add, baseline, run);
WB_EXERCISE(ScaledAdd);
