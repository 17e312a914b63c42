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
#include "wb/half_cpu.h"

namespace {

using wb::from_float, wb::to_float;

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
