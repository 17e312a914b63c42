// What the CPU variants share: a view of rows, the operations, and the reduction of neighbours.
#pragma once

#include <algorithm>
#include <limits>

#include "inner_axis.h"
#include "wb/cpu.h"
#include "wb/half_cpu.h"

namespace {

using wb::i64;

template <class T> struct Rows {
  const T* x;
  T* y;
  i64 rows, columns, stride;
  float divisor;  // of means; else 1

  const T* begin(i64 row) const { return x + row * stride; }
  void finish(i64 row, float value) const { y[row] = wb::from_float<T>(value / divisor); }
};

struct Sum {
  static constexpr float identity = 0;
  static float combine(float a, float b) { return a + b; }
};
struct Max {  // a NaN stays, as in PyTorch
  static constexpr float identity = -std::numeric_limits<float>::infinity();
  static float combine(float a, float b) { return b > a || b != b ? b : a; }
};

// f(op, rows) for the operation and the type of this case.
template <class F> void with_rows(const InnerAxis::Args& p, F f) {
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = decltype(zero);
    const Rows<T> rows{static_cast<const T*>(p.x),
                       static_cast<T*>(p.y),
                       p.rows,
                       p.columns,
                       p.stride,
                       p.op == Operation::mean ? static_cast<float>(p.columns) : 1.0f};
    p.op == Operation::max ? f(Max(), rows) : f(Sum(), rows);
  });
}

constexpr int kChains = 64;  // accumulators: four vectors of 16 floats, or eight of 8

// A vector addition takes three or four cycles, and the next one to the same accumulator must wait
// for it. With many accumulators the additions of neighbours overlap. In C++ floating-point
// additions happen in the order in which they are written, so the compiler may not do this by
// itself.
template <class Op, class T> float over_span(const T* x, i64 count) {
  if (count < kChains) {
    float all = Op::identity;
    for (i64 i = 0; i < count; ++i) all = Op::combine(all, wb::to_float(x[i]));
    return all;
  }
  float value[kChains];
  std::fill_n(value, kChains, Op::identity);
  i64 i = 0;
  for (; i + kChains <= count; i += kChains)
    for (int j = 0; j < kChains; ++j) value[j] = Op::combine(value[j], wb::to_float(x[i + j]));
  for (int j = 0; i + j < count; ++j) value[j] = Op::combine(value[j], wb::to_float(x[i + j]));
  for (int half = kChains / 2; half > 0; half /= 2)
    for (int j = 0; j < half; ++j) value[j] = Op::combine(value[j], value[j + half]);
  return value[0];
}

}  // namespace
