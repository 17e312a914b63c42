// Changes against baseline: four vectors of accumulators, of 16 lanes with AVX-512. An addition
// waits for one that began four vectors earlier, not for the one just before it. This is another
// order of additions, which we may choose and the compiler may not. (The baseline uses one part in
// 64 or 128 of the additions that a core can do.)
//
// Predict: with AVX-512, 64 additions are in progress where the baseline has one. Is it 64 times as
// fast, or does something else decide before that?
#include "sum.h"
#include "vectors.h"
#include "wb/cpu.h"

namespace {

template <class Op, class T> float reduce(const T* x, wb::i64 n) {
  constexpr int kVectors = 4;
  Vector sum[kVectors];
  for (Vector& v : sum) v = filled(Op::identity());
  wb::i64 i = 0;
  for (; i + kVectors * kLanes <= n; i += kVectors * kLanes)
    for (int j = 0; j < kVectors; ++j) sum[j] = Op::combine(sum[j], load(x + i + j * kLanes));
  const Vector all = Op::combine(Op::combine(sum[0], sum[1]), Op::combine(sum[2], sum[3]));
  float result = lanes_reduce<Op>(all);
  for (; i < n; ++i) result = Op::combine(result, static_cast<float>(x[i]));
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

WB_CPU(Sum, step1_accumulators, run);
