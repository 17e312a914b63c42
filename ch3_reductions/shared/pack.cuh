// Sixteen bytes at a time, the widest load of a thread. Addresses must be multiples of 16 for it,
// but an array may begin and end anywhere: Packs says which part of it is whole packs, and hands
// out the few elements in front of and behind these, the edge, one by one.
#pragma once

#include <cstdint>
#include <cstring>

#include "operations.h"
#include "wb/cuda.h"
#include "wb/half.cuh"

namespace {

// Neighbouring elements that travel in one access: as many as 16 bytes have, or fewer where
// addresses don't allow that.
template <class T, int kElements = 16 / sizeof(T)> struct alignas(kElements * sizeof(T)) Pack {
  static constexpr int kWidth = kElements;
  T element[kWidth];
};

// Whether each row of a matrix begins and ends at a multiple of 16 bytes.
inline bool rows_are_packs(const void* x, wb::i64 columns, wb::i64 stride, int width) {
  return reinterpret_cast<std::uintptr_t>(x) % 16 == 0 && columns % width + stride % width == 0;
}

// One access, whose address must be a multiple of its bytes.
template <int kWidth, class T> __device__ Pack<T, kWidth> load(const T* from) {
  return *reinterpret_cast<const Pack<T, kWidth>*>(from);
}

// A load of what nobody reads again: its lines are the first that the caches give up.
template <class T> __device__ Pack<T> load_once(const Pack<T>* from) {
  const uint4 words = __ldcs(reinterpret_cast<const uint4*>(from));
  Pack<T> pack;
  memcpy(&pack, &words, sizeof pack);
  return pack;
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
#pragma unroll
    for (int i = 0; i < kWidth; ++i)
      value[i] = Op::combine(value[i], wb::to_float(pack.element[i]));
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
  Accumulators<Op, T> own;
  wb::i64 i = first;
  for (; i + (kLoads - 1) * step < end; i += kLoads * step) {
    Pack<T> pack[kLoads];
#pragma unroll
    for (int j = 0; j < kLoads; ++j) pack[j] = load_once(x + i + j * step);
#pragma unroll
    for (int j = 0; j < kLoads; ++j) own.take(pack[j]);
  }
  if (i >= end) return own.result();  // no rest: nothing to ask for, and nothing to add
  Pack<T> pack[kLoads - 1];           // it is in flight together as well
#pragma unroll
  for (int j = 0; j < kLoads - 1; ++j)
    if (i + j * step < end) pack[j] = load_once(x + i + j * step);
#pragma unroll
  for (int j = 0; j < kLoads - 1; ++j)
    if (i + j * step < end) own.take(pack[j]);
  return own.result();
}

}  // namespace
