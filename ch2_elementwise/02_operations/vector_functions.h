// The operations without branches and without calls, so that the compiler can compute as many of
// them at a time as a vector register has lanes. Good to 2 units in the last place of fp32.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "operations.h"

// e^x = scale * (1 + rest): scale is 2^n with a whole n, and rest = e^r - 1 for |r| <= ln(2) / 2.
struct Exponential {
  float scale, rest;
};
inline Exponential split_exponential(float x) {
  // Below, the result would not be a normal number; above, scale is infinity. NaN stays NaN.
  x = x < -87.3f ? -87.3f : x;
  x = x > 89.0f ? 89.0f : x;
  // A sum with 1.5 * 2^23 has no bits left after the point: it is rounded, and its lowest bits hold
  // n.
  constexpr float kRound = 12582912.0f;
  const float shifted = x * 1.44269504f + kRound;
  const float n = shifted - kRound;
  // ln(2) in two parts; n times the first is exact.
  const float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
  // (e^r - 1 - r) / r^2, the largest error made as small as it can be: 2^-28 of e^r.
  float q = 1.38145084e-3f;
  q = q * r + 8.36877970e-3f;
  q = q * r + 4.16683936e-2f;
  q = q * r + 0.166665201f;
  q = q * r + 0.499999934f;
  const std::uint32_t exponent = (std::bit_cast<std::uint32_t>(shifted) + 127) << 23;
  return {std::bit_cast<float>(exponent), q * (r * r) + r};
}

inline float exponential(float x) {
  const Exponential e = split_exponential(x);
  return e.scale * (1 + e.rest);
}

inline float vectorizable(op::Add, float x, float y) { return x + y; }
inline float vectorizable(op::Sub, float x, float y) { return x - y; }
inline float vectorizable(op::Mul, float x, float y) { return x * y; }
inline float vectorizable(op::Div, float x, float y) { return x / y; }
inline float vectorizable(op::Relu, float x, float) { return x < 0 ? 0 : x; }
inline float vectorizable(op::LeakyRelu, float x, float) { return x < 0 ? op::kSlope * x : x; }
inline float vectorizable(op::Exp, float x, float) { return exponential(x); }
inline float vectorizable(op::Sigmoid, float x, float) { return 1 / (1 + exponential(-x)); }
inline float vectorizable(op::Silu, float x, float) { return x / (1 + exponential(-x)); }

// With m = e^(-2|x|) - 1, which is small where x is, tanh|x| = -m / (m + 2). (1 - 2 / (1 + e^2x)
// would lose a small result in the difference.)
inline float vectorizable(op::Tanh, float x, float) {
  const Exponential e = split_exponential(-2 * std::fabs(x));
  const float m = e.scale * e.rest + (e.scale - 1);
  return std::copysign(m / (m + 2), x);
}

// The probability that a normal variable is less than x is close to 1 / (1 + e^(x*p(x^2))). With
// this p gelu is good to 2^-25; beyond x = -6 the exact value is less than 10^-8, and so is this
// one.
inline float vectorizable(op::Gelu, float x, float) {
  const float square = x * x, u = square > 36 ? 36 : square;
  float p = 4.14468592e-12f;
  p = p * u - 2.55605347e-10f;
  p = p * u + 2.27383061e-9f;
  p = p * u + 2.03730765e-7f;
  p = p * u - 7.62518502e-6f;
  p = p * u + 1.09982371e-4f;
  p = p * u + 6.53319878e-5f;
  p = p * u - 7.26653692e-2f;
  p = p * u - 1.59577032f;
  return x / (1 + exponential(x * p));
}
