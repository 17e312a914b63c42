// Neighbours that travel in one load or store of up to 16 bytes.
#pragma once

#include <cstdint>
#include <cstring>

#include "plan.h"
#include "sums.cuh"

namespace {

template <class T> constexpr int kWide = kLoadBytes / static_cast<int>(sizeof(T));

// They stay words until they are used: 16-bit elements take half the registers that way.
template <class T, int kWidth> struct Pack {
  typename WordsOf<kWidth * sizeof(T)>::type words;

  // Streams are marked as read or written once, so that caches keep what is read again.
  static __device__ Pack stream(const T* from) { return {__ldcs(at(from))}; }
  static __device__ Pack load(const T* from) { return {__ldg(at(from))}; }
  __device__ void stream_to(T* to) const { __stcs(reinterpret_cast<decltype(words)*>(to), words); }
  __device__ void store(T* to) const { *reinterpret_cast<decltype(words)*>(to) = words; }

  __device__ void to_floats(float (&value)[kWidth]) const {
    T element[kWidth];
    memcpy(element, &words, sizeof words);
#pragma unroll
    for (int j = 0; j < kWidth; ++j) value[j] = wb::to_float(element[j]);
    if constexpr (std::is_same_v<T, __nv_bfloat16> && kWidth == 8) {  // its bits are the upper half
      const unsigned word[] = {words.x, words.y, words.z, words.w};
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        value[2 * j] = __uint_as_float(word[j] << 16);
        value[2 * j + 1] = __uint_as_float(word[j] & 0xFFFF0000);
      }
    }
  }
  static __device__ Pack of(const float (&value)[kWidth]) {
    T element[kWidth];
    Pack pack;
#pragma unroll
    for (int j = 0; j < kWidth; ++j) element[j] = wb::from_float<T>(value[j]);
    memcpy(&pack.words, element, sizeof element);
    return pack;
  }

 private:
  static __device__ auto at(const T* from) {
    return reinterpret_cast<const decltype(words)*>(from);
  }
};

__host__ __device__ inline std::uintptr_t address(const void* of) {
  return reinterpret_cast<std::uintptr_t>(of);
}

// Whether each row of each array begins and ends at a multiple of 16 bytes.
inline bool even(const LayerNorm::Args& p) {
  const auto bytes = static_cast<i64>(LayerNorm::element_bytes(p.dtype));
  std::uintptr_t all = static_cast<std::uintptr_t>(p.columns * bytes | p.stride * bytes);
  for (const void* array :
       {p.x, p.weight, p.bias, p.dy, static_cast<const void*>(p.y), static_cast<const void*>(p.dx)})
    all |= address(array);
  return all % kLoadBytes == 0;
}

}  // namespace
