// What the CPU variants share: a view of rows, and conversions that keep infinities and NaN.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "softmax.h"
#include "wb/cpu.h"
#include "wb/half_cpu.h"

namespace {

using wb::i64;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

template <class T> struct Rows {
  const T* x;
  const T* dy;  // backward alone
  T* out;
  i64 rows, columns, stride;
};

using wb::narrow;
using wb::widen;

// f(rows) for the type of this case; not where there is nothing to do.
template <class F> void with_rows(const Softmax::Args& p, F f) {
  if (p.rows == 0 || p.columns == 0) return;
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = decltype(zero);
    f(Rows<T>{static_cast<const T*>(p.x), static_cast<const T*>(p.dy), static_cast<T*>(p.out),
              p.rows, p.columns, p.stride});
  });
}

}  // namespace
