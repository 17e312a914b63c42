// float to the type of an array, for the CPU variants: the result that wb::half and wb::bfloat16
// have too, by integer arithmetic that a compiler turns into vector instructions.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "wb/half.h"

template <class T> T rounded(float value);

template <> inline float rounded<float>(float value) { return value; }

// Ties go to even: half of the last place that stays, less one if that place is even.
template <> inline wb::bfloat16 rounded<wb::bfloat16>(float value) {
  const std::uint32_t f = std::bit_cast<std::uint32_t>(value), size = f & 0x7FFFFFFF;
  const std::uint32_t bits = (f + 0x7FFF + (f >> 16 & 1)) >> 16;
  wb::bfloat16 result;
  result.bits = static_cast<std::uint16_t>(size > 0x7F800000 ? 0x7FFF : bits);
  return result;
}

template <> inline wb::half rounded<wb::half>(float value) {
  const std::uint32_t f = std::bit_cast<std::uint32_t>(value), size = f & 0x7FFFFFFF;
  const std::uint32_t moved = size - (112u << 23);  // the exponent, counted as fp16 does
  const std::uint32_t normal = std::min((moved + 0x0FFF + (moved >> 13 & 1)) >> 13, 0x7C00u);
  // Subnormals are multiples of 2^-24, which is the last place of 0.5.
  const std::uint32_t subnormal =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(size) + 0.5f) - 0x3F000000u;
  const std::uint32_t bits = size < 113u << 23 ? subnormal : normal;
  wb::half result;
  result.bits =
      static_cast<std::uint16_t>((f >> 16 & 0x8000) | (size > 0x7F800000 ? 0x7FFF : bits));
  return result;
}
