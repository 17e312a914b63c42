// What the CPU variants share: a view of rows, and conversions that keep infinities and NaN.
#pragma once

#include <algorithm>
#include <bit>
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

template <class T> inline float widen(T x) { return wb::to_float(x); }
inline float widen(wb::half x) {
  const std::uint32_t bits = x.bits, special = 0x7F80'0000 | (bits & 0x3FF) << 13;
  const std::uint32_t size = std::bit_cast<std::uint32_t>(std::abs(wb::to_float(x)));
  return std::bit_cast<float>(((bits & 0x7C00) == 0x7C00 ? special : size) | (bits & 0x8000) << 16);
}

template <class T> inline T narrow(float x) { return wb::from_float<T>(x); }
template <> inline wb::half narrow<wb::half>(float x) {
  wb::half y = wb::from_float<wb::half>(x);
  y.bits = x == x ? y.bits : std::uint16_t{0x7E00};
  return y;
}

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
