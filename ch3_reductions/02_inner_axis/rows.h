// What the CPU variants share: a view of rows, and the operation and type of a case.
#pragma once

#include "../shared/operations.h"
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
    p.op == Operation::max ? f(Maximum(), rows) : f(Plus(), rows);
  });
}

}  // namespace
