// Against step 2: the exponential is a dozen instructions for a whole vector. 2^x is 2^n times 2^f
// with n the nearest integer. n goes into the exponent's bits. 2^f, for |f| <= 1/2, is a polynomial
// of degree 6 (Taylor's, whose error is below 2^-23).
//
// Predict: of a score, the products take 2 width multiply-adds. What share is left for a dozen
// more?
#include <bit>

#include "tiles.h"
#include "wb/cpu.h"

namespace {

using attention::Vector;
using Bits [[gnu::vector_size(sizeof(Vector))]] = std::uint32_t;  // these may wrap

constexpr auto exp2 = [](Vector x) {
  constexpr float kShift = 0x1.8p23f;  // adding it rounds to an integer, in the lowest bits
  const Vector shifted = x + kShift, f = x - (shifted - kShift);
  Vector power = Vector{} + 1.5403530e-4f;
  for (const float c :
       {1.3333558e-3f, 9.6181291e-3f, 5.5504109e-2f, 2.4022651e-1f, 6.9314718e-1f, 1.0f})
    power = power * f + c;
  const auto bits = std::bit_cast<Bits>(power) + (std::bit_cast<Bits>(shifted) << 23);
  return x > -126.0f ? std::bit_cast<Vector>(bits) : Vector{};
};

auto make(const Attention::Args& p) {
  return wb::with_dtype(p.dtype, [&](auto zero) -> std::function<void()> {
    return attention::make<decltype(zero)>(p, exp2);
  });
}

}  // namespace

WB_CPU(Attention, optimized, make);
