// What the CPU variants share: a view of the matrix, and the operation and type of a case.
#pragma once

#include "../shared/operations.h"
#include "outer_axis.h"
#include "wb/cpu.h"
#include "wb/half_cpu.h"

namespace {

using wb::i64;

template <class T> struct Columns {
  const T* x;
  T* y;
  i64 rows, columns, stride;
  float divisor;  // of means; else 1

  const T* row(i64 number) const { return x + number * stride; }
  void finish(i64 column, float value) const { y[column] = wb::from_float<T>(value / divisor); }
};

// f(op, columns) for the operation and the type of this case.
template <class F> void with_columns(const OuterAxis::Args& p, F f) {
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = decltype(zero);
    const Columns<T> columns{static_cast<const T*>(p.x),
                             static_cast<T*>(p.y),
                             p.rows,
                             p.columns,
                             p.stride,
                             p.op == Operation::mean ? static_cast<float>(p.rows) : 1.0f};
    p.op == Operation::max ? f(Maximum(), columns) : f(Plus(), columns);
  });
}

}  // namespace
