// 16-byte loads of rows that may begin and end anywhere, and sums over a block.
#pragma once

#include <algorithm>
#include <cstring>

#include "../../shared/two_floats.cuh"
#include "../rows.cuh"
#include "plan.h"

namespace {

// Neighbours that travel in one load. They stay words until they are used, so that eight loads in
// flight take no more registers than their bytes.
template <int kBytes> struct WordsOf { using type = uint4; };
template <> struct WordsOf<8> { using type = uint2; };
template <> struct WordsOf<4> { using type = unsigned; };
template <> struct WordsOf<2> { using type = unsigned short; };
template <class T, int kWidth> struct Pack { typename WordsOf<kWidth * sizeof(T)>::type words; };

template <int kWidth, class T> __device__ Pack<T, kWidth> load(const T* from) {
  return *reinterpret_cast<const Pack<T, kWidth>*>(from);
}

// The same for data that is not read again: its lines are the first that the caches evict, and
// other lines stay.
template <int kWidth, class T> __device__ Pack<T, kWidth> load_once(const T* from) {
#if __CUDA_ARCH__ >= 800
  if constexpr (sizeof(Pack<T, kWidth>) == kLoadBytes) {
    uint4 w;
    std::uint64_t policy;
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    asm("ld.global.L1::evict_first.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
        : "=r"(w.x), "=r"(w.y), "=r"(w.z), "=r"(w.w)
        : "l"(from), "l"(policy));
    return {w};
  }
#endif
  return load<kWidth>(from);
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

// The words of 4 bytes in a pack; a single element of 16 bits counts as one.
template <class T, int kWidth>
constexpr int kWords = std::max<int>(1, sizeof(Pack<T, kWidth>) / sizeof(float));

// A value per word. Two elements of 16 bits are combined, so that a value per word is all that is
// kept of any type, and needs no more registers.
template <class Op, class T, int kWidth>
__device__ void to_values(const Pack<T, kWidth>& pack, float (&value)[kWords<T, kWidth>]) {
  float element[kWidth];
  to_floats(pack, element);
#pragma unroll
  for (int i = 0; i < kWords<T, kWidth>; ++i)
    if constexpr (kWidth > kWords<T, kWidth>)
      value[i] = Op::combine(element[2 * i], element[2 * i + 1]);
    else
      value[i] = element[i];
}

// Halves are combined with halves, so that the additions wait for each other as little as possible.
template <class Op, int kCount> __device__ float over_array(float (&value)[kCount]) {
#pragma unroll
  for (int half = kCount / 2; half > 0; half /= 2)
#pragma unroll
    for (int i = 0; i < half; ++i) value[i] = Op::combine(value[i], value[i + half]);
  return value[0];
}

// What thread `thread` of `threads` finds in `count` elements. Up to the first address that 16
// divides, and after the last one, a thread takes a single element; all else in packs, kLoads of
// which are asked for before the first is used. A warp's packs are neighbours, so that all its
// addresses are the first one and a constant. (A share has less than 2^31 packs: plan.h sees to
// it.)
template <int kLoads, class Op, class T>
__device__ float own_share(const T* x, i64 count, int thread, int threads) {
  constexpr int kWidth = kLoadBytes / sizeof(T), kValues = kWords<T, kWidth>;
  static_assert(2 * kWidth <= kWarp, "one thread has the head's element, another the tail's");
  const int before =
      static_cast<int>(-reinterpret_cast<std::uintptr_t>(x) % kLoadBytes / sizeof(T));
  const int head = before < count ? before : static_cast<int>(count);
  const int packs = static_cast<int>((count - head) / kWidth);
  const bool in_front = thread < kWidth;
  const i64 at = in_front ? thread : head + i64{packs} * kWidth + thread - kWidth;
  T single = wb::from_float<T>(Op::identity());
  if (at < (in_front ? head : count)) single = x[at];
  const int first = thread / kWarp * kWarp * kLoads + thread % kWarp;
  x += head + i64{first} * kWidth;
  float value[kValues];
#pragma unroll
  for (int j = 0; j < kValues; ++j) value[j] = Op::identity();
  for (int left = packs - first; left > 0; left -= kLoads * threads) {
    Pack<T, kWidth> pack[kLoads];
#pragma unroll
    for (int i = 0; i < kLoads; ++i)
      if (i * kWarp < left) pack[i] = load<kWidth>(x + i * kWarp * kWidth);
#pragma unroll
    for (int i = 0; i < kLoads; ++i)
      if (i * kWarp < left) {
        float more[kValues];
        to_values<Op>(pack[i], more);
#pragma unroll
        for (int j = 0; j < kValues; ++j) value[j] = Op::combine(value[j], more[j]);
      }
    x += i64{kLoads} * threads * kWidth;
  }
  return Op::combine(over_array<Op>(value), wb::to_float(single));
}

// A pack of kWidth identities, for a thread that has no load.
template <class Op, class T, int kWidth> __device__ Pack<T, kWidth> nothing() {
  T element[kWidth];
#pragma unroll
  for (int i = 0; i < kWidth; ++i) element[i] = wb::from_float<T>(Op::identity());
  Pack<T, kWidth> pack;
  memcpy(&pack, element, sizeof pack);
  return pack;
}

// What thread `thread` finds in a row of whole aligned loads, `packs` in all, no more than kOwn per
// thread: all of them are in flight at once. Where a thread has no load it has the identity, so
// that nothing is asked around the additions: with a condition there the compiler puts additions of
// the first load in front of the next one, which then waits for it.
template <int kOwn, class Op, class T>
__device__ float whole_share(const T* x, int packs, int thread) {
  constexpr int kWidth = kLoadBytes / sizeof(T), kValues = kWords<T, kWidth>;
  const int first = thread / kWarp * kWarp * kOwn + thread % kWarp;
  x += first * kWidth;
  Pack<T, kWidth> pack[kOwn];
#pragma unroll
  for (int i = 0; i < kOwn; ++i) {
    pack[i] = nothing<Op, T, kWidth>();
    if (first + i * kWarp < packs) pack[i] = load<kWidth>(x + i * kWarp * kWidth);
  }
  float value[kValues];
  to_values<Op>(pack[0], value);
#pragma unroll
  for (int i = 1; i < kOwn; ++i) {
    float more[kValues];
    to_values<Op>(pack[i], more);
#pragma unroll
    for (int j = 0; j < kValues; ++j) value[j] = Op::combine(value[j], more[j]);
  }
  return over_array<Op>(value);
}

// Over the lanes whose numbers differ in the bits below `lanes`, a power of two. Each of them gets
// it. All lanes of the warp must be here.
template <class Op> __device__ float over_lanes(float value, int lanes = kWarp) {
  for (int distance = lanes / 2; distance > 0; distance /= 2)
    value = Op::combine(value, __shfl_xor_sync(0xFFFFFFFF, value, distance));
  return value;
}

// The same of several values at a time.
template <class Op, int kCount> __device__ void over_lanes(float (&value)[kCount], int lanes) {
  for (int distance = lanes / 2; distance > 0; distance /= 2)
#pragma unroll
    for (int i = 0; i < kCount; ++i)
      value[i] = Op::combine(value[i], __shfl_xor_sync(0xFFFFFFFF, value[i], distance));
}

// Over the block; the lanes of its first warp get it. One barrier.
template <class Op> __device__ float over_block(float value) {
  __shared__ float of_warp[kWholeThreads / kWarp];
  value = over_lanes<Op>(value);
  if (threadIdx.x % kWarp == 0) of_warp[threadIdx.x / kWarp] = value;
  __syncthreads();
  if (threadIdx.x >= kWarp) return value;
  return over_lanes<Op>(threadIdx.x < blockDim.x / kWarp ? of_warp[threadIdx.x] : Op::identity());
}

}  // namespace
