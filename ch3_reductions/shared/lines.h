// Stores of whole cache lines that go past the caches, for CPU variants.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "wb/half_cpu.h"

namespace {

constexpr int kLineBytes = 64;
constexpr double kCache = 0x1p25;         // bytes that a last-level cache may keep for one program
constexpr wb::i64 kAheadBytes = 1 << 14;  // that are asked for before their turn, or a row

// An ordinary store first reads the line that it changes. A streaming store does not, if the whole
// line is written in one go. `to` is the begin of a line. A thread ends with finish_streaming().
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

// How many rows ahead a row is prefetched; and the prefetch, whose addresses may be past an array.
template <class T> wb::i64 rows_ahead(wb::i64 columns) {
  return std::max<wb::i64>(kAheadBytes / static_cast<wb::i64>(sizeof(T)) / (columns + 1), 1);
}
template <class T> void prefetch(const T* from, wb::i64 count) {
  for (wb::i64 i = 0; i < count; i += kLineBytes / sizeof(T)) __builtin_prefetch(from + i);
}

// Calls write(from, to, count) for stretches of `count` elements that make up `to`: at its ends in
// place, between them a line each, which then goes past the caches. How many elements a line has
// the compiler knows, so it stays in registers on its way.
template <class T, class F> void in_lines(T* to, wb::i64 count, F write) {
  constexpr wb::i64 kLine = kLineBytes / sizeof(T);
  const auto past = static_cast<wb::i64>(reinterpret_cast<std::uintptr_t>(to) % kLineBytes);
  wb::i64 i = std::min<wb::i64>(count, (kLineBytes - past) % kLineBytes / sizeof(T));
  if (i > 0) write(wb::i64{0}, to, i);
  for (; i + kLine <= count; i += kLine) {
    alignas(kLineBytes) T line[kLine];
    write(i, line, std::integral_constant<wb::i64, kLine>());
    stream_line(to + i, line);
  }
  if (i < count) write(i, to + i, count - i);
}

// out[i] = narrow(f(i)) for i < count.
template <class T, class F> void write(T* out, wb::i64 count, bool past_caches, F f) {
  const auto stretch = [&](wb::i64 from, T* to, auto stretch_count) {
#pragma omp simd
    for (wb::i64 i = 0; i < stretch_count; ++i) to[i] = wb::narrow<T>(f(from + i));
  };
  past_caches ? in_lines(out, count, stretch) : stretch(0, out, count);
}

}  // namespace
