// The passes over a row, or over a part of one, as loops that the compiler makes vectors of. In C++
// additions happen in the order in which they are written: omp simd allows another one.
#pragma once

#include "rows.h"

namespace {

// exp(x) for x <= 0, and no call, so that loops with it become vector instructions: 2^x is a power
// of 2 and a rest of at most 1/2, for which a polynomial will do (degree 5, found by the Remez
// algorithm: off by 7.5e-8, or 1.3 e in the units of softmax.h, and rounding adds two). Below
// 2^-126 it is 0. A NaN stays.
inline float exponential(float x) {
  const float power = x * 1.44269504f, least = power < -127 ? -127 : power;
  const float whole = __builtin_rintf(least), rest = least - whole;
  float y = 1.3276472e-3f;
  y = y * rest + 9.67554133e-3f;
  y = y * rest + 5.55071327e-2f;
  y = y * rest + 2.40221197e-1f;
  y = y * rest + 6.93146967e-1f;
  y = y * rest + 1.00000007f;
  const auto bits = static_cast<std::uint32_t>(static_cast<std::int32_t>(whole) + 127) << 23;
  return y * std::bit_cast<float>(bits);
}

template <class T> float maximum(const T* x, i64 count) {
  float max = -kInfinity;
#pragma omp simd reduction(max : max)
  for (i64 i = 0; i < count; ++i) max = std::max(max, widen(x[i]));
  return max;
}

// exp(x - max) to `kept`; their sum.
template <class T> float exponentials(const T* x, float max, float* kept, i64 count) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (i64 i = 0; i < count; ++i) sum += kept[i] = exponential(widen(x[i]) - max);
  return sum;
}

template <class T> void scaled(const float* kept, float factor, T* y, i64 count) {
#pragma omp simd
  for (i64 i = 0; i < count; ++i) y[i] = narrow<T>(kept[i] * factor);
}

}  // namespace
