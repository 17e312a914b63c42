// 16-bit floating point for problem headers: storage and correct rounding, no arithmetic. The bits
// are those of __half and __nv_bfloat16, so .cu files cast the pointers.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "wb/problem.h"

namespace wb {

// The multiple of a unit in the last place next to `value` (ties to even), as IEEE 754 rounds to
// `digits` bits of significand and a smallest normal number of 2^min_exponent.
inline double round_to(double value, int digits, int min_exponent) {
  const int exponent = static_cast<int>(std::bit_cast<std::uint64_t>(value) >> 52 & 0x7FF) - 1023;
  if (exponent > 256) return value;  // no number, or infinite in each of these types
  // Of 1.5 * 2^52 units the last place is one unit, so this addition rounds as is wanted.
  const int unit = std::max(exponent, min_exponent) - (digits - 1);
  const double units = 1.5 * std::bit_cast<double>(std::uint64_t(unit + 52 + 1023) << 52);
  return std::copysign(value + units - units, value);
}

// IEEE 754 binary16: 11 bits of significand, largest 65504.
struct half {
  std::uint16_t bits;

  half() = default;
  explicit half(double value) {
    const float rounded = static_cast<float>(round_to(value, 11, -14)), size = std::fabs(rounded);
    const std::uint32_t sign = std::bit_cast<std::uint32_t>(rounded) >> 16 & 0x8000;
    // The subnormal ones are multiples of 2^-24; exponents begin 112 higher than float's.
    const std::uint32_t units = size < 0x1p-14f
                                    ? static_cast<std::uint32_t>(size * 0x1p24f)
                                    : (std::bit_cast<std::uint32_t>(size) >> 13) - (112 << 10);
    const std::uint32_t of_number = sign | std::min(units, 0x7C00u);  // too large: infinity
    bits = static_cast<std::uint16_t>(std::isnan(value) ? 0x7FFF : of_number);
  }
  operator float() const {
    const std::uint32_t sign = std::uint32_t{bits & 0x8000u} << 16, size = bits & 0x7FFF;
    if (size < 0x0400) {
      const float value = static_cast<float>(size) * 0x1p-24f;
      return sign ? -value : value;
    }
    const std::uint32_t exponent = size >= 0x7C00 ? 224u << 23 : 112u << 23;
    return std::bit_cast<float>(sign | ((size << 13) + exponent));
  }
};

// The upper half of a float: 8 bits of significand, the range of float.
struct bfloat16 {
  std::uint16_t bits;

  bfloat16() = default;
  explicit bfloat16(double value) {
    const float rounded = static_cast<float>(round_to(value, 8, -126));
    bits = std::isnan(value)
               ? 0x7FFF
               : static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(rounded) >> 16);
  }
  operator float() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
};

template <> struct TypeOf<half> { static constexpr Type value = Type::f16; };
template <> struct TypeOf<bfloat16> { static constexpr Type value = Type::bf16; };

// f(float{}), f(half{}) or f(bfloat16{}), as a case's dtype ("fp32", "fp16", "bf16") says.
template <class F> decltype(auto) with_dtype(std::string_view dtype, F f) {
  if (dtype == "fp16") return f(half{});
  if (dtype == "bf16") return f(bfloat16{});
  if (dtype == "fp32" || dtype.empty()) return f(float{});
  throw Unsupported("unknown dtype " + std::string(dtype) + ": fp32, fp16 or bf16");
}

// Half a unit in the last place of a value near 1: what rounding to the type costs at most,
// relative to the value.
template <class T> constexpr double kRounding = 0x1p-24;
template <> inline constexpr double kRounding<half> = 0x1p-11;
template <> inline constexpr double kRounding<bfloat16> = 0x1p-8;

// What multiplies numbers of a type: tensor cores, where there are any for it.
template <class T> constexpr Math kMath = Math::fp32;
template <> inline constexpr Math kMath<half> = Math::fp16_tensor;
template <> inline constexpr Math kMath<bfloat16> = Math::bf16_tensor;

}  // namespace wb
