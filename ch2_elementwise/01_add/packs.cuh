// Neighbouring elements that travel in one access, for the GPU variants.
#pragma once

#include <cstdint>
#include <type_traits>

#include "wb/cuda.h"
#include "wb/half.cuh"

namespace {

template <class T, int kWidth> struct alignas(kWidth * sizeof(T)) Pack { T element[kWidth]; };

template <class T> __device__ T plus(T x, T y) {
  return wb::from_float<T>(wb::to_float(x) + wb::to_float(y));
}
template <class T, int kWidth>
__device__ Pack<T, kWidth> plus(const Pack<T, kWidth>& x, const Pack<T, kWidth>& y) {
  Pack<T, kWidth> sum;
#pragma unroll
  for (int i = 0; i < kWidth; ++i) sum.element[i] = plus(x.element[i], y.element[i]);
  return sum;
}

// y + a * x
template <class T> __device__ T plus_scaled(T y, float a, T x) {
  return wb::from_float<T>(fmaf(a, wb::to_float(x), wb::to_float(y)));
}

template <int kWidth, class T> __device__ Pack<T, kWidth> load(const T* from) {
  return *reinterpret_cast<const Pack<T, kWidth>*>(from);
}
template <int kWidth, class T> __device__ void store(T* to, const Pack<T, kWidth>& pack) {
  *reinterpret_cast<Pack<T, kWidth>*>(to) = pack;
}

// An access of 16 bytes needs an address that 16 divides. cudaMalloc gives such addresses, a view
// into an array may have others.
inline bool aligned(const void* data) { return reinterpret_cast<std::uintptr_t>(data) % 16 == 0; }

// A number that a generic lambda can take as a template argument.
template <int kNumber> constexpr std::integral_constant<int, kNumber> number;

// f(w) with the number of elements per access: 16 bytes' worth, or 1 where an array is not
// aligned.
template <class T, class F> void with_width(bool all_aligned, F f) {
  if (all_aligned)
    f(number<16 / sizeof(T)>);
  else
    f(number<1>);
}

inline unsigned blocks(wb::i64 n, wb::i64 a_block) {
  return static_cast<unsigned>((n + a_block - 1) / a_block);
}

}  // namespace
