// The widest vector of the machine, and a store that goes past the caches.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <cstdint>
#include <cstring>

namespace {

#ifdef __AVX512F__
constexpr int kLanes = 16;
#elif defined(__AVX__)
constexpr int kLanes = 8;
#else
constexpr int kLanes = 4;
#endif
using Vector [[gnu::vector_size(4 * kLanes)]] = float;

inline Vector load(const float* from) {
  Vector v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
inline void store(float* to, Vector v) { std::memcpy(to, &v, sizeof v); }

inline bool aligned(const float* p) {
  return reinterpret_cast<std::uintptr_t>(p) % sizeof(Vector) == 0;
}

// An ordinary store first reads the line that it changes; this one does not, if the whole line is
// written. `to` must be aligned. A thread ends with finish_streaming().
inline void stream(float* to, Vector v) {
#if defined(__AVX512F__)
  _mm512_stream_ps(to, reinterpret_cast<__m512>(v));
#elif defined(__AVX__)
  _mm256_stream_ps(to, reinterpret_cast<__m256>(v));
#elif defined(__x86_64__)
  _mm_stream_ps(to, reinterpret_cast<__m128>(v));
#else
  store(to, v);
#endif
}

inline void finish_streaming() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

}  // namespace
