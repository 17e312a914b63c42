// Values as they are stored, and as floats, for the CPU variants.
#pragma once

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include <bit>
#include <cstring>

#include "wb/half.h"

inline float to_float(float x) { return x; }
inline float to_float(wb::half x) { return x; }
inline float to_float(wb::bfloat16 x) { return x; }

// Rounded to nearest, ties to even, as the constructors of wb::half and wb::bfloat16 do for any
// double; for a float there are shorter ways.
template <class T> T from_float(float x);
template <> inline float from_float(float x) { return x; }
template <> inline wb::bfloat16 from_float(float x) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
  wb::bfloat16 y;
  y.bits = static_cast<std::uint16_t>(x == x ? rounded : 0x7FFF);
  return y;
}
template <> inline wb::half from_float(float x) {
#if defined(__F16C__)
  wb::half y;
  y.bits = _cvtss_sh(x, _MM_FROUND_TO_NEAREST_INT);
  return y;
#else
  return wb::half(x);
#endif
}

// n values at a time.
template <class T> void to_floats(const T* from, float* to, int n) {
#pragma omp simd
  for (int i = 0; i < n; ++i) to[i] = to_float(from[i]);
}
template <class T> void from_floats(const float* from, T* to, int n) {
#pragma omp simd
  for (int i = 0; i < n; ++i) to[i] = from_float<T>(from[i]);
}
#if defined(__F16C__)
template <> inline void to_floats(const wb::half* from, float* to, int n) {
  int i = 0;
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps(to + i,
                     _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i))));
  for (; i < n; ++i) to[i] = to_float(from[i]);
}
template <> inline void from_floats(const float* from, wb::half* to, int n) {
  int i = 0;
  for (; i + 8 <= n; i += 8)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
  for (; i < n; ++i) to[i] = from_float<wb::half>(from[i]);
}
#endif
