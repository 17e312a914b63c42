// 16 bytes of elements in registers, for optimized.cu.
#pragma once

#include "dropout.h"
#include "wb/half.cuh"

namespace {

template <class T> constexpr int kWidth = 16 / sizeof(T);  // elements

// Two 16-bit elements at a time.
__device__ float2 unpack(std::uint32_t bits, __half) {
  return __half22float2(*reinterpret_cast<const __half2*>(&bits));
}
__device__ float2 unpack(std::uint32_t bits, __nv_bfloat16) {
  return __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&bits));
}
__device__ std::uint32_t pack(float low, float high, __half) {
  const __half2 two = __floats2half2_rn(low, high);
  return *reinterpret_cast<const std::uint32_t*>(&two);
}
__device__ std::uint32_t pack(float low, float high, __nv_bfloat16) {
  const __nv_bfloat162 two = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const std::uint32_t*>(&two);
}

// The upper 16 random bits decide; `limit` is the threshold, moved up, so those below can't matter.
__device__ float decide(float x, std::uint32_t random, std::uint32_t limit, float scale) {
  return random >= limit ? scale * x : 0;
}

template <class T> struct alignas(16) Vector {
  std::uint32_t word[4];

  // The index-th vector of an array of n. `whole`: all its elements exist, and it begins at a
  // 16-byte boundary.
  __device__ void load(const T* from, wb::i64 index, wb::i64 n, bool whole) {
    if (whole) {
      *this = reinterpret_cast<const Vector*>(from)[index];
    } else {
      T* element = reinterpret_cast<T*>(word);
#pragma unroll
      for (int i = 0; i < kWidth<T>; ++i) {
        const wb::i64 at = index * kWidth<T> + i;
        element[i] = at < n ? from[at] : wb::from_float<T>(0);
      }
    }
  }
  __device__ void store(T* to, wb::i64 index, wb::i64 n, bool whole) const {
    if (whole) {
      reinterpret_cast<Vector*>(to)[index] = *this;
    } else {
      const T* element = reinterpret_cast<const T*>(word);
#pragma unroll
      for (int i = 0; i < kWidth<T>; ++i) {
        const wb::i64 at = index * kWidth<T> + i;
        if (at < n) to[at] = element[i];
      }
    }
  }

  // `random`: 16 bits per element, the lower half of a word first.
  __device__ void drop(const std::uint32_t (&random)[kWidth<T> / 2], std::uint32_t limit,
                       float scale) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if constexpr (sizeof(T) == 4) {
        const std::uint32_t bits = i % 2 ? random[i / 2] : random[i / 2] << 16;
        word[i] = __float_as_uint(decide(__uint_as_float(word[i]), bits, limit, scale));
      } else {
        const float2 two = unpack(word[i], T{});
        word[i] = pack(decide(two.x, random[i] << 16, limit, scale),
                       decide(two.y, random[i], limit, scale), T{});
      }
    }
  }
};

}  // namespace
