// One loop, one thread, computed in fp32 with the C library's functions, whatever is stored. The
// compiler makes a loop of it for each operation and type. It turns the loops of sums, products and
// comparisons into vector instructions. It can't do that with a call of expf(), as compiled here,
// without -ffast-math.
//
// Predict: add reads two arrays, gelu reads one. Which is faster, and by what factor?
#include "functions.h"
#include "storage.h"
#include "wb/cpu.h"

namespace {

void run(const Operations::Args& p) {
  with_op_and_dtype(p.op, p.dtype, [&](auto op, auto zero) {
    using T = decltype(zero);
    const T *x = static_cast<const T*>(p.x), *y = static_cast<const T*>(p.y);
    T* z = static_cast<T*>(p.z);
    for (wb::i64 i = 0; i < p.count; ++i)
      z[i] = from_float<T>(evaluate(op, to_float(x[i]), op.binary ? to_float(y[i]) : 0));
  });
}

}  // namespace

WB_CPU(Operations, baseline, run);
