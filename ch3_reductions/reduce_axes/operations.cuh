// Loads of several elements.
#pragma once

#include <cstring>

#include "../shared/operations.h"
#include "../shared/two_floats.cuh"
#include "plan.h"
#include "wb/cuda.h"
#include "wb/half.cuh"

namespace {

using wb::i64;

// Neighbours that travel in one load. They stay words until they are used, so that loads in flight
// take no more registers than their bytes.
template <int kBytes> struct WordsOf { using type = uint4; };
template <> struct WordsOf<4> { using type = unsigned; };
template <> struct WordsOf<2> { using type = unsigned short; };
template <class T, int kWidth> struct Pack { typename WordsOf<kWidth * sizeof(T)>::type words; };

template <int kWidth, class T> __device__ Pack<T, kWidth> load(const T* from) {
  return *reinterpret_cast<const Pack<T, kWidth>*>(from);
}

// A load of identities, for a thread that has none.
template <class Op, class T, int kWidth> __device__ Pack<T, kWidth> nothing() {
  T element[kWidth];
#pragma unroll
  for (int i = 0; i < kWidth; ++i) element[i] = wb::from_float<T>(Op::identity());
  Pack<T, kWidth> pack;
  memcpy(&pack, element, sizeof pack);
  return pack;
}

// One element, in a register of its own: two in one would have to be put together as soon as they
// arrive, and that waits for them.
template <class T> __device__ unsigned bits_of(T one) {
  typename WordsOf<sizeof(T)>::type bits;
  memcpy(&bits, &one, sizeof one);
  return bits;
}
template <class T> __device__ float float_of(unsigned bits) {
  T one;
  memcpy(&one, &bits, sizeof one);
  return wb::to_float(one);
}

template <class T, int kWidth>
__device__ void to_floats(const Pack<T, kWidth>& pack, float (&value)[kWidth]) {
  if constexpr (sizeof(T) == 4) {
    memcpy(value, &pack, sizeof value);
  } else if constexpr (kWidth == 1) {
    T one;
    memcpy(&one, &pack, sizeof one);
    value[0] = wb::to_float(one);
  } else {
    unsigned word[kWidth / 2];
    memcpy(word, &pack, sizeof word);
#pragma unroll
    for (int i = 0; i < kWidth / 2; ++i) {
      const float2 two = two_floats(word[i], T());
      value[2 * i] = two.x, value[2 * i + 1] = two.y;
    }
  }
}

}  // namespace
