// A thread's share of a row, in registers: packs of 16 bytes, up to two single elements. Rows may
// begin and end anywhere.
#pragma once

#include "../../shared/pack.cuh"
#include "../online.cuh"
#include "plan.h"

namespace {

template <class T> constexpr int kWidth = kLoadBytes / static_cast<int>(sizeof(T));

template <class T> __device__ void widen(uint4 pack, float* to, T) { Pack<T>{pack}.to_floats(to); }

template <class T> __device__ uint4 narrow(const float* from, T) { return Pack<T>::of(from).words; }

// `count` neighbours: up to the first address that 16 divides, `head` single elements; then packs;
// then single elements again. Neither end has as many as a warp has lanes.
struct Split {
  int head, packs, tail;  // tail: where the single elements after the packs begin

  template <class T> __device__ static Split of(const T* x, i64 count) {
    const i64 before =
        static_cast<i64>(-reinterpret_cast<std::uintptr_t>(x) % kLoadBytes / sizeof(T));
    const int head = static_cast<int>(before < count ? before : count);
    const int packs = static_cast<int>((count - head) / kWidth<T>);
    return {head, packs, head + packs * kWidth<T>};
  }
};

// What a thread has of such neighbours: packs thread, thread + threads ..., kPacks of them, and one
// element of either end. They stay words until they are used, for 16-bit elements take half the
// registers that way. Where there is nothing, a pack is 0 and an end is `absent`.
template <int kPacks, class T> struct Share {
  uint4 pack[kPacks];
  float end[2];

  Share() = default;
  // All loads are on their way before the first is used.
  __device__ Share(const T* x, i64 count, int thread, int threads, float absent) {
    const Split s = Split::of(x, count);
    const uint4* packs = reinterpret_cast<const uint4*>(x + s.head);
#pragma unroll
    for (int i = 0; i < kPacks; ++i)
      pack[i] = thread + i * threads < s.packs ? packs[thread + i * threads] : uint4{};
    end[0] = thread < s.head ? wb::to_float(x[thread]) : absent;
    end[1] = s.tail + thread < count ? wb::to_float(x[s.tail + thread]) : absent;
  }
  __device__ void store(T* x, i64 count, int thread, int threads) const {
    const Split s = Split::of(x, count);
    uint4* packs = reinterpret_cast<uint4*>(x + s.head);
#pragma unroll
    for (int i = 0; i < kPacks; ++i)
      if (thread + i * threads < s.packs) packs[thread + i * threads] = pack[i];
    if (thread < s.head) x[thread] = wb::from_float<T>(end[0]);
    if (s.tail + thread < count) x[s.tail + thread] = wb::from_float<T>(end[1]);
  }
};

// The same as floats, with the ends after the packs, and `absent` where there is no element.
template <int kPacks, class T>
__device__ void load(const T* x, i64 count, int thread, int threads, float absent,
                     float (&value)[kPacks * kWidth<T> + 2]) {
  constexpr int kEnd = kPacks * kWidth<T>;
  const Share<kPacks, T> share(x, count, thread, threads, absent);
  const int packs = Split::of(x, count).packs;
#pragma unroll
  for (int i = 0; i < kPacks; ++i) {
    widen(share.pack[i], value + i * kWidth<T>, T());
#pragma unroll
    for (int j = 0; j < kWidth<T>; ++j)
      if (thread + i * threads >= packs) value[i * kWidth<T> + j] = absent;
  }
  value[kEnd] = share.end[0], value[kEnd + 1] = share.end[1];
}

template <int kPacks, class T>
__device__ void store(T* x, i64 count, int thread, int threads,
                      const float (&value)[kPacks * kWidth<T> + 2]) {
  constexpr int kEnd = kPacks * kWidth<T>;
  Share<kPacks, T> share;
#pragma unroll
  for (int i = 0; i < kPacks; ++i) share.pack[i] = narrow(value + i * kWidth<T>, T());
  share.end[0] = value[kEnd], share.end[1] = value[kEnd + 1];
  share.store(x, count, thread, threads);
}

}  // namespace
