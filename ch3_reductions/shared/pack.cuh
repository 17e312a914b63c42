// Sixteen bytes at a time, the widest load of a thread. Addresses must be multiples of 16 for it,
// but an array may begin and end anywhere. Packs says which part of it is whole packs, and gives
// the few elements before and after these, the edge, one by one.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "operations.h"
#include "two_floats.cuh"
#include "wb/cuda.h"
#include "wb/half.cuh"

namespace {

constexpr int kPackBytes = 16;

template <int kBytes> struct WordsOf { using type = uint4; };
template <> struct WordsOf<4> { using type = unsigned; };
template <> struct WordsOf<2> { using type = unsigned short; };

// Neighbouring elements that travel in one access: as many as 16 bytes have, or one or a word of
// two where addresses don't allow that. They stay words until they are used: of elements of 16 bits
// the compiler would give each a register of its own, and loads in flight would take twice their
// bytes.
template <class T, int kElements = kPackBytes / sizeof(T)> struct Pack {
  static constexpr int kWidth = kElements;
  using Words = typename WordsOf<kWidth * sizeof(T)>::type;
  // A single element has a whole register, also where it has 16 bits: two elements in one register
  // would have to be combined as soon as they arrive, and a thread would wait for them.
  std::conditional_t<sizeof(Words) == 2, unsigned, Words> words;

  // One access, whose address must be a multiple of its bytes. A load needs memory that no kernel
  // writes meanwhile.
  static __device__ Pack load(const T* from) {
    if constexpr (sizeof(Words) == 2) {  // said so: the compiler would not make it a whole register
      unsigned word;
      asm("ld.global.nc.u16 %0, [%1];" : "=r"(word) : "l"(__cvta_generic_to_global(from)));
      return {word};
    } else {
      return {__ldg(reinterpret_cast<const Words*>(from))};
    }
  }
  __device__ void store(T* to) const { *reinterpret_cast<Words*>(to) = static_cast<Words>(words); }
  // The same for data that is not used again: its lines are the first that caches evict.
  static __device__ Pack load_once(const T* from) {
    return {__ldcs(reinterpret_cast<const Words*>(from))};
  }
  __device__ void store_once(T* to) const {
    __stcs(reinterpret_cast<Words*>(to), static_cast<Words>(words));
  }

  __device__ void to_floats(float* value) const {
    const auto own = words;  // by one load, where this pack is in memory
    if constexpr (kWidth == 1) {
      T element;
      memcpy(&element, &own, sizeof element);
      *value = wb::to_float(element);
    } else if constexpr (sizeof(Words) == 4) {
      const float2 two = two_floats(own, T());
      value[0] = two.x, value[1] = two.y;
    } else {
      const unsigned word[] = {own.x, own.y, own.z, own.w};
#pragma unroll
      for (int j = 0; j < 4; ++j)
        if constexpr (sizeof(T) == 4) {
          value[j] = __uint_as_float(word[j]);
        } else {
          const float2 two = two_floats(word[j], T());
          value[2 * j] = two.x, value[2 * j + 1] = two.y;
        }
    }
  }
  static __device__ Pack of(const float* value) {
    T element[kWidth];
    Pack pack = {};
#pragma unroll
    for (int j = 0; j < kWidth; ++j) element[j] = wb::from_float<T>(value[j]);
    memcpy(&pack.words, element, sizeof element);
    return pack;
  }
};

// A pack that changes nothing, for a thread that has no load.
template <class Op, class T, int kWidth = Pack<T>::kWidth> __device__ Pack<T, kWidth> nothing() {
  float value[kWidth];
#pragma unroll
  for (float& v : value) v = Op::identity();
  return Pack<T, kWidth>::of(value);
}

// Whether all of these arrays begin at a multiple of 16 bytes, and `elements` are whole packs of
// `width`. For several counts, as the columns of a matrix and its stride, ask for columns | stride:
// a width is a power of two.
inline bool fill_packs(std::initializer_list<const void*> arrays, wb::i64 elements, int width) {
  std::uintptr_t all = 0;
  for (const void* array : arrays) all |= reinterpret_cast<std::uintptr_t>(array);
  return all % kPackBytes == 0 && elements % width == 0;
}

template <class T> struct Packs {
  const Pack<T>* pack;
  wb::i64 count;
  const T *front, *back;
  int in_front, behind;
  __host__ __device__ Packs(const void* data, wb::i64 n) : front(static_cast<const T*>(data)) {
    constexpr int kWidth = Pack<T>::kWidth;
    const auto past = static_cast<int>(reinterpret_cast<std::uintptr_t>(data) % 16 / sizeof(T));
    in_front = (kWidth - past) % kWidth;
    if (in_front > n) in_front = static_cast<int>(n);
    count = (n - in_front) / kWidth;
    pack = reinterpret_cast<const Pack<T>*>(front + in_front);
    back = front + in_front + count * kWidth;
    behind = static_cast<int>(front + n - back);
  }
  // Of the edge, which has fewer than 2 * kWidth elements: that of thread `i`, or the identity.
  template <class Op> __device__ float edge(int i) const {
    if (i >= in_front + behind) return Op::identity();
    return wb::to_float(i < in_front ? front[i] : back[i - in_front]);
  }
};

// One accumulator for each element of a pack, so that no addition waits for the one before it.
template <class Op, class T, int kWidth = Pack<T>::kWidth> struct Accumulators {
  float value[kWidth];
  __device__ Accumulators() {
#pragma unroll
    for (float& v : value) v = Op::identity();
  }
  __device__ void take(const Pack<T, kWidth>& pack) {
    float element[kWidth];
    pack.to_floats(element);
#pragma unroll
    for (int i = 0; i < kWidth; ++i) value[i] = Op::combine(value[i], element[i]);
  }
  __device__ float result() {  // pairwise
#pragma unroll
    for (int half = kWidth / 2; half > 0; half /= 2)
#pragma unroll
      for (int i = 0; i < half; ++i) value[i] = Op::combine(value[i], value[i + half]);
    return value[0];
  }
};

// What a thread makes of the packs `first`, `first + step` ... in front of `end`: it asks for
// kLoads of them before it takes the first.
template <int kLoads, class Op, class T>
__device__ float thread_reduce(const Pack<T>* x, wb::i64 first, wb::i64 end, wb::i64 step) {
  const auto at = [&](wb::i64 place) { return Pack<T>{__ldcs(&x[place].words)}; };  // read once
  Accumulators<Op, T> own;
  wb::i64 i = first;
  for (; i + (kLoads - 1) * step < end; i += kLoads * step) {
    Pack<T> pack[kLoads];
#pragma unroll
    for (int j = 0; j < kLoads; ++j) pack[j] = at(i + j * step);
#pragma unroll
    for (int j = 0; j < kLoads; ++j) own.take(pack[j]);
  }
  if (i >= end) return own.result();  // no rest: nothing to ask for, and nothing to add
  Pack<T> pack[kLoads - 1];           // it is in flight together as well
#pragma unroll
  for (int j = 0; j < kLoads - 1; ++j)
    if (i + j * step < end) pack[j] = at(i + j * step);
#pragma unroll
  for (int j = 0; j < kLoads - 1; ++j)
    if (i + j * step < end) own.take(pack[j]);
  return own.result();
}

}  // namespace
