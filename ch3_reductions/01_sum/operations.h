// A case's operation, by its name.
#pragma once

#include <string>
#include <string_view>

#include "../shared/operations.h"
#include "wb/problem.h"

// f(Plus{}), f(Maximum{}) or f(Minimum{}), as a case's op says. A mean is a sum, divided at the
// end.
template <class F> decltype(auto) with_op(std::string_view op, F f) {
  if (op == "sum" || op == "mean") return f(Plus{});
  if (op == "max") return f(Maximum{});
  if (op == "min") return f(Minimum{});
  throw wb::Unsupported("unknown op " + std::string(op) + ": sum, mean, max or min");
}
