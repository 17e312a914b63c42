// What a thread does with a chunk, and how many threads there are, for the CPU variants.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif
#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "launch_config.h"

namespace {

constexpr wb::i64 kLine = 16;  // floats in a cache line

// y = a * x for n floats. Whole lines go past the caches, so that a store need not read the line
// first; a thread ends with finish_streaming(). (Lesson 01_add explains it.)
inline void scale(wb::i64 n, float a, const float* x, float* y) {
  const wb::i64 past = static_cast<wb::i64>(reinterpret_cast<std::uintptr_t>(y) / sizeof(float));
  const wb::i64 head = std::min(n, (kLine - past % kLine) % kLine);
  const wb::i64 end = head + (n - head) / kLine * kLine;
  for (wb::i64 i = 0; i < head; ++i) y[i] = a * x[i];
  for (wb::i64 i = head; i < end; i += kLine) {
    alignas(64) float line[kLine];
    for (int j = 0; j < kLine; ++j) line[j] = a * x[i + j];
#if defined(__AVX512F__)
    _mm512_stream_ps(y + i, _mm512_load_ps(line));
#elif defined(__AVX__)
    for (int j = 0; j < kLine; j += 8) _mm256_stream_ps(y + i + j, _mm256_load_ps(line + j));
#elif defined(__x86_64__)
    for (int j = 0; j < kLine; j += 4) _mm_stream_ps(y + i + j, _mm_load_ps(line + j));
#else
    std::memcpy(y + i, line, sizeof line);
#endif
  }
  for (wb::i64 i = end; i < n; ++i) y[i] = a * x[i];
}

inline void finish_streaming() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

inline int cores() { return omp_get_max_threads(); }

// As the case says; 0 means all cores, and far more than there are would only cost memory.
inline int threads(const LaunchConfig::Args& p) {
  return p.block == 0 ? cores()
                      : static_cast<int>(std::min<wb::i64>(p.block, std::max(16, cores())));
}

inline wb::i64 chunks(const LaunchConfig::Args& p) { return (p.n + p.items - 1) / p.items; }

// Chunk `c` of the case.
inline void scale_chunk(const LaunchConfig::Args& p, wb::i64 c) {
  const wb::i64 first = c * p.items;
  scale(std::min(p.items, p.n - first), p.a, p.x + first, p.y + first);
}

}  // namespace
