// Horner's scheme for the CPU variants, for a block of elements that stays in vector registers.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <cstring>

#include "arithmetic_intensity.h"

namespace {

constexpr Coefficients coefficients = make_coefficients();

// Lanes that are multiplied and added at once: the widest that the machine has.
#ifdef __AVX512F__
constexpr int kLanes = 16;
#elif defined(__AVX__)
constexpr int kLanes = 8;
#else
constexpr int kLanes = 4;
#endif
using Vector [[gnu::vector_size(4 * kLanes)]] = float;
constexpr int kVectors =
    8;  // as many chains: a multiply-add takes 4 cycles, a core starts 2 per cycle
constexpr int kBlock = kVectors * kLanes;  // elements

struct Block {
  Vector value[kVectors];

  void load(const float* from) {
#pragma GCC unroll 8
    for (int i = 0; i < kVectors; ++i) std::memcpy(&value[i], from + i * kLanes, sizeof(Vector));
  }
  void store(float* to) const {
#pragma GCC unroll 8
    for (int i = 0; i < kVectors; ++i) std::memcpy(to + i * kLanes, &value[i], sizeof(Vector));
  }

  // Past the caches: an ordinary store first reads the line that it changes. `to` must be aligned
  // to a vector. A thread ends with finish_streaming().
  void stream(float* to) const {
#pragma GCC unroll 8
    for (int i = 0; i < kVectors; ++i) {
#if defined(__AVX512F__)
      _mm512_stream_ps(to + i * kLanes, reinterpret_cast<__m512>(value[i]));
#elif defined(__AVX__)
      _mm256_stream_ps(to + i * kLanes, reinterpret_cast<__m256>(value[i]));
#elif defined(__x86_64__)
      _mm_stream_ps(to + i * kLanes, reinterpret_cast<__m128>(value[i]));
#else
      std::memcpy(to + i * kLanes, &value[i], sizeof(Vector));
#endif
    }
  }

  // Replaces each value by P of it.
  void apply(int degree) {
    Vector x[kVectors];
#pragma GCC unroll 8
    for (int i = 0; i < kVectors; ++i) x[i] = value[i], value[i] = coefficients[degree] + Vector{};
    for (int j = degree - 1; j >= 0; --j) {
      const Vector c = coefficients[j] + Vector{};
#pragma GCC unroll 8
      for (int i = 0; i < kVectors; ++i) value[i] = value[i] * x[i] + c;
    }
  }
};

inline void finish_streaming() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

// The last n < kBlock elements: `passes` times P of each.
inline void apply_rest(wb::i64 n, int degree, int passes, const float* in, float* out) {
  float padded[kBlock] = {};
  std::copy(in, in + n, padded);
  Block block;
  block.load(padded);
  for (int i = 0; i < passes; ++i) block.apply(degree);
  block.store(padded);
  std::copy(padded, padded + n, out);
}

}  // namespace
