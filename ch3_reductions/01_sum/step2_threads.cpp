// Changes against baseline: all cores, each with one accumulator. At the end each core adds its sum
// to the result, in the order in which they are done. That order changes from run to run, and with
// it the last bits, where additions round. (`reduction(+ : sum)` promises no order, either.)
//
// Predict: two cores, or four vectors on one core (step 1): which is worth more?
#include "sum.h"
#include "wb/cpu.h"

namespace {

template <class Op, class T> float reduce(const T* x, wb::i64 n) {
  float result = Op::identity();
#pragma omp parallel
  {
    float own = Op::identity();
#pragma omp for schedule(static) nowait
    for (wb::i64 i = 0; i < n; ++i) own = Op::combine(own, static_cast<float>(x[i]));
#pragma omp critical
    result = Op::combine(result, own);
  }
  return result;
}

void run(const Sum::Args& p) {
  with_op(p.op, [&](auto op) {
    wb::with_dtype(p.dtype, [&](auto zero) {
      const float result = reduce<decltype(op)>(static_cast<const decltype(zero)*>(p.x), p.n);
      *p.result = static_cast<float>(result / p.divisor());
    });
  });
}

}  // namespace

WB_CPU(Sum, step2_threads, run);
