// What the CPU variants share: rows with their type, conversions that keep infinities and NaN.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "softmax_rows.h"
#include "wb/cpu.h"
#include "wb/half_cpu.h"

namespace {

using wb::i64;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

using wb::narrow;
using wb::widen;

// f(rows) for the type of this case; not where there is nothing to do.
template <class F> void with_rows(const SoftmaxRows::Args& p, F f) {
  if (p.rows == 0 || p.columns == 0) return;
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = decltype(zero);
    f(rows_of<T>(p));
  });
}

}  // namespace
