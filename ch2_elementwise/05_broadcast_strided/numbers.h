// The 16-bit types for loops of the CPU variants, and stores that go past the caches.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "broadcast_strided.h"
#include "wb/cpu.h"

namespace {

// Conversions that a compiler can turn into vector instructions. NaN does not occur here.
inline float to_float(float x) { return x; }
inline float to_float(wb::bfloat16 x) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(x.bits) << 16);
}
inline float to_float(wb::half x) {  // half's exponents begin 112 higher than float's
  const std::uint32_t bits = x.bits, sign = (bits & 0x8000) << 16;
  const float size = std::bit_cast<float>((bits & 0x7FFF) << 13) * 0x1p112f;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(size) | sign);
}
// The lower bits go; ties to even.
inline std::uint32_t round_off(std::uint32_t x, int bits) {
  return (x + (1u << (bits - 1)) - 1 + (x >> bits & 1)) >> bits;
}
template <class T> T from_float(float x);
template <> inline float from_float<float>(float x) { return x; }
template <> inline wb::bfloat16 from_float<wb::bfloat16>(float x) {
  wb::bfloat16 y;
  y.bits = static_cast<std::uint16_t>(round_off(std::bit_cast<std::uint32_t>(x), 16));
  return y;
}
template <> inline wb::half from_float<wb::half>(float x) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x * 0x1p-112f), sign = bits >> 31 << 15;
  wb::half y;  // 0x7C00: infinity
  y.bits = static_cast<std::uint16_t>(std::min(round_off(bits & 0x7FFF'FFFF, 13), 0x7C00u) | sign);
  return y;
}

template <class T> T sum(T x, T y) { return from_float<T>(to_float(x) + to_float(y)); }

// 64 bytes past the caches: an ordinary store first reads the line that it changes. `to` must be
// aligned to 64 bytes. A thread ends with finish_streaming().
inline void stream_line(void* to, const void* from) {
#if defined(__AVX512F__)
  _mm512_stream_si512(static_cast<__m512i*>(to), _mm512_loadu_si512(from));
#elif defined(__x86_64__)
  for (int i = 0; i < 4; ++i)
    _mm_stream_si128(static_cast<__m128i*>(to) + i,
                     _mm_loadu_si128(static_cast<const __m128i*>(from) + i));
#else
  std::memcpy(to, from, 64);
#endif
}
inline void finish_streaming() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

}  // namespace
