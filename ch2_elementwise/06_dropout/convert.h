// Conversions between the stored types and fp32, for the CPU variants. The classes of wb/half.h
// round any double; this is for floats, and short enough for vectors.
#pragma once

#if defined(__F16C__)
#include <immintrin.h>
#endif

#include <bit>
#include <cstdint>

#include "wb/half.h"

namespace {

inline float to_float(float x) { return x; }
inline float to_float(wb::bfloat16 x) { return x; }
inline float to_float(wb::half x) {
#if defined(__F16C__)
  return _cvtsh_ss(x.bits);
#else
  return x;
#endif
}

template <class T> T from_float(float x);
template <> inline float from_float<float>(float x) { return x; }
template <> inline wb::bfloat16 from_float<wb::bfloat16>(float x) {
  // The upper half, one more if the lower half is over a half, or is one and the upper half is odd.
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
  wb::bfloat16 y;
  y.bits = static_cast<std::uint16_t>(x == x ? rounded : 0x7FFF);
  return y;
}
template <> inline wb::half from_float<wb::half>(float x) {
#if defined(__F16C__)
  wb::half y;
  y.bits = static_cast<std::uint16_t>(_cvtss_sh(x, _MM_FROUND_TO_NEAREST_INT));
  return y;
#else
  return wb::half(x);
#endif
}

// The product is formed either way: so there is no branch, which with p = 1/2 would be mispredicted
// half of the time.
template <class T> T dropped_unless(bool keep, float scale, T x) {
  const T scaled = from_float<T>(scale * to_float(x));
  return keep ? scaled : T{};
}

}  // namespace
