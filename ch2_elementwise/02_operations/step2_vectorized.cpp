// Changes against step 1: functions without calls and branches, of this lesson's own
// (vector_functions.h). Now the compiler can make vector instructions of every loop. As in step 1
// of the GPU, it sees one operation at a time.
//
// Predict: what does that gain for gelu, and for add, whose loop had vector instructions before?
#include <algorithm>

#include "blocks.h"
#include "wb/cpu.h"

namespace {

void run(const Operations::Args& p) {
  with_op_and_dtype(p.op, p.dtype, [&](auto op, auto zero) {
    using T = decltype(zero);
    const T *x = static_cast<const T*>(p.x), *y = static_cast<const T*>(p.y);
    T* z = static_cast<T*>(p.z);
#pragma omp parallel for schedule(static) if (p.count >= kWorthThreads)
    for (wb::i64 i = 0; i < p.count; i += kBlock)
      compute_block(op, x + i, op.binary ? y + i : y, z + i,
                    static_cast<int>(std::min<wb::i64>(kBlock, p.count - i)));
  });
}

}  // namespace

WB_CPU(Operations, step2_vectorized, run);
