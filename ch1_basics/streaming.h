// Four floats at a time for CPU variants of 01_coalescing, 02_data_layout and 03_transpose, and a
// store that goes past the caches.
#pragma once

#if defined(__SSE2__)
#include <immintrin.h>
#endif

using Float4 = float __attribute__((vector_size(16), may_alias));

// An ordinary store first reads the cache line that it changes: 8 bytes of traffic for 4 bytes of
// result. A streaming store does not, provided that a whole 64-byte line is written in one go.
// `to` must be aligned to 16 bytes. Call finish_streaming() once a thread has written its share.
inline void stream(float* to, Float4 value) {
#if defined(__SSE2__)
  _mm_stream_ps(to, value);
#else
  *reinterpret_cast<Float4*>(to) = value;
#endif
}

inline void finish_streaming() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}
