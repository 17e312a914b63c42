// 16-byte loads of rows that may begin anywhere.
#pragma once

#include <cstring>

#include "../columns.cuh"
#include "plan.h"

namespace {

template <class T> constexpr int kWidth = kLoadBytes / sizeof(T);  // elements per load

__device__ inline float2 two_floats(unsigned word, __nv_bfloat16) {  // the first is the lower half
  return {__uint_as_float(word << 16), __uint_as_float(word & 0xFFFF0000)};
}
__device__ inline float2 two_floats(unsigned word, __half) {
  __half2 two;
  memcpy(&two, &word, sizeof two);
  return __half22float2(two);
}

// Elements that travel in one load stay words until they are used, so that they take no more
// registers than their bytes.
template <class Op, class T> __device__ void combine(const uint4& pack, float (&value)[kWidth<T>]) {
  const unsigned word[] = {pack.x, pack.y, pack.z, pack.w};
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if constexpr (sizeof(T) == 4) {
      value[i] = Op::combine(value[i], __uint_as_float(word[i]));
    } else {
      const float2 two = two_floats(word[i], T());
      value[2 * i] = Op::combine(value[2 * i], two.x);
      value[2 * i + 1] = Op::combine(value[2 * i + 1], two.y);
    }
}

// A pack that changes nothing.
template <class Op, class T> __device__ uint4 nothing() {
  T element[kWidth<T>];
#pragma unroll
  for (T& e : element) e = wb::from_float<T>(Op::identity());
  uint4 pack;
  memcpy(&pack, element, sizeof pack);
  return pack;
}

// What a thread finds at one place of `count` rows, `next` elements apart: kLoads of them are asked
// for before the first is used. Its rows begin equally far from a multiple of 16 bytes, so `first`,
// in elements from x on, can be chosen such that all loads are aligned. A load may then reach into
// the row before or behind: what it finds there is dropped by the caller. Only before the first row
// and behind the last one there may be no memory, so there the elements are taken one by one.
template <class Op, class T>
__device__ void down_columns(const Columns<T>& c, i64 first, i64 next, int count,
                             float (&value)[kWidth<T>]) {
  const i64 size = (c.rows - 1) * c.stride + c.columns;
  const auto one_by_one = [&](i64 at) {
#pragma unroll
    for (int i = 0; i < kWidth<T>; ++i)
      if (at + i >= 0 && at + i < size) value[i] = Op::combine(value[i], wb::to_float(c.x[at + i]));
  };
#pragma unroll
  for (int i = 0; i < kWidth<T>; ++i) value[i] = Op::identity();
  if (count > 0 && first < 0) one_by_one(first), first += next, --count;
  if (count > 0 && size < first + (count - 1) * next + kWidth<T>)
    one_by_one(first + (count - 1) * next), --count;
  const auto rows = [&](const T* x, int count) {
    uint4 pack[kLoads];
#pragma unroll
    for (int i = 0; i < kLoads; ++i)
      if (i < count) pack[i] = *reinterpret_cast<const uint4*>(x + i * next);
#pragma unroll
    for (int i = 0; i < kLoads; ++i)
      if (i < count) combine<Op, T>(pack[i], value);
  };
  const T* x = c.x + first;
  for (; count >= kLoads; count -= kLoads, x += kLoads * next) rows(x, kLoads);
  if (count > 0) rows(x, count);
}

}  // namespace
