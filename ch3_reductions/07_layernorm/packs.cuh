// Neighbours that travel in one load or store of up to 16 bytes.
#pragma once

#include <cstdint>
#include <cstring>

#include "plan.h"
#include "rows.cuh"

namespace {

template <int kBytes> struct WordsOf { using type = uint4; };
template <> struct WordsOf<4> { using type = unsigned; };
template <> struct WordsOf<2> { using type = unsigned short; };

// They stay words until they are used: 16-bit elements take half the registers that way.
template <class T, int kWidth> struct Pack {
  typename WordsOf<kWidth * sizeof(T)>::type words;

  // Of what is read once, so that caches keep what is read again; and of what is.
  static __device__ Pack stream(const T* from) { return {__ldcs(at(from))}; }
  static __device__ Pack load(const T* from) { return {__ldg(at(from))}; }
  __device__ void store(T* to) const { __stcs(reinterpret_cast<decltype(words)*>(to), words); }

  __device__ void to_floats(float (&value)[kWidth]) const {
    T element[kWidth];
    memcpy(element, &words, sizeof words);
#pragma unroll
    for (int j = 0; j < kWidth; ++j) value[j] = wb::to_float(element[j]);
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

// Whether each row of each array begins and ends at a multiple of 16 bytes.
inline bool even(const LayerNorm::Args& p) {
  const auto bytes = static_cast<i64>(LayerNorm::element_bytes(p.dtype));
  std::uintptr_t all = static_cast<std::uintptr_t>(p.columns * bytes | p.stride * bytes);
  for (const void* array :
       {p.x, p.weight, p.bias, p.dy, static_cast<const void*>(p.y), static_cast<const void*>(p.dx)})
    all |= reinterpret_cast<std::uintptr_t>(array);
  return all % kLoadBytes == 0;
}

}  // namespace
