// Results past the caches, in whole lines, for CPU variants.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <cstdint>
#include <cstring>

#include "rows.h"

namespace {

constexpr int kLineBytes = 64;

// An ordinary store first reads the line that it changes. A streaming store does not, provided that
// the whole line is written in one go. `to` is the begin of a line. A thread ends with
// finish_streaming().
inline void stream_line(void* to, const void* line) {
#if defined(__AVX512F__)
  _mm512_stream_si512(static_cast<__m512i*>(to), _mm512_load_si512(line));
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

// out[i] = narrow(f(i)) for i < count.
template <class T, class F> void write(T* out, i64 count, bool past_caches, F f) {
  constexpr i64 kLine = kLineBytes / sizeof(T);
  const auto past = reinterpret_cast<std::uintptr_t>(out) % kLineBytes;
  const i64 before = static_cast<i64>((kLineBytes - past) % kLineBytes / sizeof(T));
  const i64 head = past_caches ? std::min(before, count) : count;
  const i64 end = head + (count - head) / kLine * kLine;
#pragma omp simd
  for (i64 i = 0; i < head; ++i) out[i] = narrow<T>(f(i));
  for (i64 i = head; i < end; i += kLine) {
    alignas(kLineBytes) T line[kLine];
#pragma omp simd
    for (i64 j = 0; j < kLine; ++j) line[j] = narrow<T>(f(i + j));
    stream_line(out + i, line);
  }
#pragma omp simd
  for (i64 i = end; i < count; ++i) out[i] = narrow<T>(f(i));
}

}  // namespace
