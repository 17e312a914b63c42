// Neighbours that travel in one load or store of 16 bytes: 4 floats, or 8 elements of 16 bits. They
// stay words until they are used, for 16-bit elements take half the registers that way.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "wb/cuda.h"
#include "wb/half.cuh"

namespace {

constexpr int kWideBytes = 16;
template <class T> constexpr int kWideOf = kWideBytes / static_cast<int>(sizeof(T));

template <int kBytes> struct WordsOf { using type = uint4; };
template <> struct WordsOf<4> { using type = unsigned; };
template <> struct WordsOf<2> { using type = unsigned short; };

// kWidth: all that fit, or 1 where rows begin anywhere.
template <class T, int kWidth = kWideOf<T>> struct Wide {
  using Words = typename WordsOf<kWidth * sizeof(T)>::type;
  Words words;

  // By way of L1, from an array that nobody writes meanwhile.
  static __device__ Wide load(const T* from) {
    return {__ldg(reinterpret_cast<const Words*>(from))};
  }
  __device__ void store(T* to) const { *reinterpret_cast<Words*>(to) = words; }
  // The same for what nobody reads or writes again: its lines are the first that caches give up.
  static __device__ Wide stream(const T* from) {
    return {__ldcs(reinterpret_cast<const Words*>(from))};
  }
  __device__ void stream_to(T* to) const { __stcs(reinterpret_cast<Words*>(to), words); }

  __device__ void to_floats(float* value) const {
    if constexpr (sizeof(T) == 2 && kWidth == 8 && !std::is_same_v<T, __half>) {
      const unsigned word[] = {words.x, words.y, words.z, words.w};
#pragma unroll
      for (int j = 0; j < 4; ++j) {  // bf16: the upper half of a float's bits
        value[2 * j] = __uint_as_float(word[j] << 16);
        value[2 * j + 1] = __uint_as_float(word[j] & 0xFFFF0000);
      }
    } else {
      T element[kWidth];
      memcpy(element, &words, sizeof words);
#pragma unroll
      for (int j = 0; j < kWidth; ++j) value[j] = wb::to_float(element[j]);
    }
  }
  static __device__ Wide of(const float* value) {
    T element[kWidth];
    Wide wide;
#pragma unroll
    for (int j = 0; j < kWidth; ++j) element[j] = wb::from_float<T>(value[j]);
    memcpy(&wide.words, element, sizeof element);
    return wide;
  }
};

// Whether all of these arrays begin at a multiple of 16 bytes, and `elements` of T fill such loads.
template <class T> bool fills_wide(std::initializer_list<const void*> arrays, wb::i64 elements) {
  auto all = static_cast<std::uintptr_t>(elements * static_cast<wb::i64>(sizeof(T)));
  for (const void* array : arrays) all |= reinterpret_cast<std::uintptr_t>(array);
  return all % kWideBytes == 0;
}

}  // namespace
