// For the CPU variants: Philox for several calls at a time, and stores that go past the caches.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <cstring>

#include "dropout.h"

namespace {

// One call in each lane of 64 bits, which is what the product of two words needs. The upper halves
// hold the rest of a product and are ignored.
#ifdef __AVX512F__
constexpr int kLanes = 8;
#elif defined(__AVX2__)
constexpr int kLanes = 4;
#else
constexpr int kLanes = 2;
#endif
using Lanes [[gnu::vector_size(8 * kLanes)]] = std::uint64_t;

inline Lanes multiply(Lanes a, std::uint32_t factor) {  // of the lower halves
  const Lanes b = Lanes{} + factor;
#if defined(__AVX512F__)
  return reinterpret_cast<Lanes>(
      _mm512_maskz_mul_epu32(0xFF, reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif defined(__AVX2__)
  return reinterpret_cast<Lanes>(
      _mm256_mul_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#elif defined(__x86_64__)
  return reinterpret_cast<Lanes>(
      _mm_mul_epu32(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  return (a & 0xFFFF'FFFF) * b;
#endif
}

// Lanes by their numbers: those of b follow those of a.
inline Lanes pick(Lanes a, Lanes b, Lanes number) {
#if __has_builtin(__builtin_shuffle)
  return __builtin_shuffle(a, b, number);
#else  // clang++
  Lanes picked;
  for (int i = 0; i < kLanes; ++i)
    picked[i] = number[i] < kLanes ? a[number[i]] : b[number[i] - kLanes];
  return picked;
#endif
}

// The keys of the ten rounds, which are the same for all calls.
struct RoundKeys {
  std::uint64_t low[10], high[10];
  explicit RoundKeys(std::uint64_t seed) {
    for (std::uint32_t round = 0; round < 10; ++round) {
      low[round] = static_cast<std::uint32_t>(seed) + round * 0x9E3779B9;
      high[round] = static_cast<std::uint32_t>(seed >> 32) + round * 0xBB67AE85;
    }
  }
};

// The words of kCalls calls from `call` on, one call after the other. Each round waits for the
// products of the one before; four vectors of calls do not wait for each other.
constexpr int kVectors = 4;
constexpr int kCalls = kVectors * kLanes;
inline void random_bits(const RoundKeys& keys, std::uint64_t call, std::uint16_t* bits) {
  Lanes lane, a[kVectors], b[kVectors], c[kVectors], d[kVectors];
  for (int i = 0; i < kLanes; ++i) lane[i] = i;
  for (int v = 0; v < kVectors; ++v) {
    a[v] = call + v * kLanes + lane;
    b[v] = a[v] >> 32, c[v] = Lanes{}, d[v] = Lanes{};
  }
#pragma GCC unroll 10
  for (int round = 0; round < 10; ++round) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const Lanes first = multiply(a[v], 0xD2511F53), second = multiply(c[v], 0xCD9E8D57);
      a[v] = (second >> 32) ^ b[v] ^ keys.low[round];
      b[v] = second;
      c[v] = (first >> 32) ^ d[v] ^ keys.high[round];
      d[v] = first;
    }
  }
  // Two words fit into a lane. Then ab and cd alternate: first those of the first half of the
  // lanes, then those of the second.
  const Lanes low = lane / 2 + lane % 2 * kLanes, high = low + kLanes / 2;
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) {
    const Lanes ab = (a[v] & 0xFFFF'FFFF) | b[v] << 32, cd = (c[v] & 0xFFFF'FFFF) | d[v] << 32;
    const Lanes halves[2] = {pick(ab, cd, low), pick(ab, cd, high)};
    std::memcpy(bits + 8 * kLanes * v, halves, sizeof halves);
  }
}

// An ordinary store first reads the cache line that it changes; a streaming store does not. For it,
// `to` must be at a multiple of sizeof(Lanes). A thread ends with finish_streaming().
inline void stream(void* to, const void* from, std::size_t bytes) {
  if (reinterpret_cast<std::uintptr_t>(to) % sizeof(Lanes) != 0 || bytes % sizeof(Lanes) != 0) {
    std::memcpy(to, from, bytes);
    return;
  }
  for (std::size_t at = 0; at < bytes; at += sizeof(Lanes)) {
    char* target = static_cast<char*>(to) + at;
    Lanes value;
    std::memcpy(&value, static_cast<const char*>(from) + at, sizeof value);
#if defined(__AVX512F__)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(target), reinterpret_cast<__m512i>(value));
#elif defined(__AVX2__)
    _mm256_stream_si256(reinterpret_cast<__m256i*>(target), reinterpret_cast<__m256i>(value));
#elif defined(__x86_64__)
    _mm_stream_si128(reinterpret_cast<__m128i*>(target), reinterpret_cast<__m128i>(value));
#else
    std::memcpy(target, &value, sizeof value);
#endif
  }
}

inline void finish_streaming() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

}  // namespace
