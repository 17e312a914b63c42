// Whole cache lines for the CPU variants, and a store that goes past the caches.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <cstdint>
#include <cstring>

#include "wb/problem.h"

constexpr int kLineBytes = 64;
template <class T> constexpr wb::i64 kLine = kLineBytes / sizeof(T);  // elements

// An ordinary store first reads the line that it changes. A streaming store does not, provided that
// the whole line is written in one go. `to` is the begin of a line. A thread ends with
// finish_streaming().
inline void stream_line(void* to, const void* line) {
#if defined(__AVX512F__)
  _mm512_stream_si512(static_cast<__m512i*>(to), _mm512_load_si512(line));
#elif defined(__AVX__)
  for (int i = 0; i < 2; ++i)
    _mm256_stream_si256(static_cast<__m256i*>(to) + i,
                        _mm256_load_si256(static_cast<const __m256i*>(line) + i));
#elif defined(__x86_64__)
  for (int i = 0; i < 4; ++i)
    _mm_stream_si128(static_cast<__m128i*>(to) + i,
                     _mm_load_si128(static_cast<const __m128i*>(line) + i));
#else
  std::memcpy(to, line, kLineBytes);
#endif
}

inline void finish_streaming() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

// How many elements from `data` on are before the first whole line.
template <class T> wb::i64 to_next_line(const T* data) {
  const auto past = reinterpret_cast<std::uintptr_t>(data) % kLineBytes;
  return static_cast<wb::i64>((kLineBytes - past) % kLineBytes / sizeof(T));
}
