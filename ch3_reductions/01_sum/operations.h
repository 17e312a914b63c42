// What many numbers become one by: for kernels, for loops, and lane by lane for vectors.
#pragma once

#include <limits>
#include <string>
#include <string_view>

#include "wb/problem.h"

// The begin of every accumulator, which changes no result, and two that become one.
struct Plus {
  static constexpr float kNothing = 0;
  template <class V> static constexpr V of(V a, V b) { return a + b; }
};

// Lane by lane for vectors.
template <class V> constexpr auto is_nan(V x) { return x != x; }

// A NaN stays, wherever it stands. (fmaxf would drop it, and a > b ? a : b keeps the one or the
// other, as the order has it.)
struct Maximum {
  static constexpr float kNothing = -std::numeric_limits<float>::infinity();
  template <class V> static constexpr V of(V a, V b) { return ((b > a) | is_nan(b)) ? b : a; }
};
struct Minimum {
  static constexpr float kNothing = std::numeric_limits<float>::infinity();
  template <class V> static constexpr V of(V a, V b) { return ((b < a) | is_nan(b)) ? b : a; }
};

// f(Plus{}), f(Maximum{}) or f(Minimum{}), as a case's op says. A mean is a sum, divided at the
// end.
template <class F> decltype(auto) with_op(std::string_view op, F f) {
  if (op == "sum" || op == "mean") return f(Plus{});
  if (op == "max") return f(Maximum{});
  if (op == "min") return f(Minimum{});
  throw wb::Unsupported("unknown op " + std::string(op) + ": sum, mean, max or min");
}
