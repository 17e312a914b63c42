// Conversions of the 16-bit types for loops of .cpp variants: plain integer arithmetic, so that a
// compiler can make vector instructions of them. Those in wb/half.h are for any value and round
// from double, some tens of times slower.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "wb/half.h"

namespace wb {

// Exact. Infinity and NaN of half come out as 65536 and more.
inline float to_float(float x) { return x; }
inline float to_float(bfloat16 x) { return x; }
inline float to_float(half x) {  // half's exponents begin 112 higher than float's
  const std::uint32_t bits = x.bits, sign = (bits & 0x8000) << 16;
  const float size = std::bit_cast<float>((bits & 0x7FFF) << 13) * 0x1p112f;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(size) | sign);
}

// The lower bits go; ties to even.
inline std::uint32_t round_off(std::uint32_t x, int bits) {
  return (x + (1u << (bits - 1)) - 1 + (x >> bits & 1)) >> bits;
}

// To nearest, ties to even; too large for half is infinity. Not for NaN. Subnormal halves may be
// off by one unit in the last place, as they are rounded twice.
template <class T> T from_float(float x);
template <> inline float from_float<float>(float x) { return x; }
template <> inline bfloat16 from_float<bfloat16>(float x) {
  bfloat16 y;
  y.bits = static_cast<std::uint16_t>(round_off(std::bit_cast<std::uint32_t>(x), 16));
  return y;
}
template <> inline half from_float<half>(float x) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x * 0x1p-112f), sign = bits >> 31 << 15;
  half y;
  y.bits = static_cast<std::uint16_t>(std::min(round_off(bits & 0x7FFF'FFFF, 13), 0x7C00u) | sign);
  return y;
}

// The same with infinities and NaN kept, for a few instructions more.
template <class T> inline float widen(T x) { return to_float(x); }
inline float widen(half x) {
  const std::uint32_t bits = x.bits, special = 0x7F80'0000 | (bits & 0x3FF) << 13;
  const std::uint32_t size = std::bit_cast<std::uint32_t>(to_float(x)) & 0x7FFF'FFFF;
  return std::bit_cast<float>(((bits & 0x7C00) == 0x7C00 ? special : size) | (bits & 0x8000) << 16);
}
template <class T> inline T narrow(float x) { return from_float<T>(x); }
template <> inline half narrow<half>(float x) {
  half y = from_float<half>(x);
  y.bits = x == x ? y.bits : std::uint16_t{0x7E00};
  return y;
}

}  // namespace wb
