// Changes against the baseline: all cores.
//
// Predict: which operation gains the number of cores, and which less?
#include "functions.h"
#include "storage.h"
#include "wb/cpu.h"

namespace {

constexpr wb::i64 kWorthThreads = 1 << 14;  // elements

void run(const Operations::Args& p) {
  with_op_and_dtype(p.op, p.dtype, [&](auto op, auto zero) {
    using T = decltype(zero);
    const T *x = static_cast<const T*>(p.x), *y = static_cast<const T*>(p.y);
    T* z = static_cast<T*>(p.z);
#pragma omp parallel for schedule(static) if (p.count >= kWorthThreads)
    for (wb::i64 i = 0; i < p.count; ++i)
      z[i] = from_float<T>(evaluate(op, to_float(x[i]), op.binary ? to_float(y[i]) : 0));
  });
}

}  // namespace

WB_CPU(Operations, step1_threads, run);
