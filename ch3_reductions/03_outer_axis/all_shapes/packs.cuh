// 16-byte loads of rows that may begin anywhere.
#pragma once

#include "../../shared/pack.cuh"
#include "../columns.cuh"
#include "plan.h"

namespace {

// A thread's sums over `count` rows, `next` elements apart: it asks for kLoads of them before it
// uses the first. Its rows begin equally far from a multiple of 16 bytes, so `first`, in elements
// from x on, can be chosen such that all loads are aligned. A load may then reach into the row
// before or after; the caller drops these elements. Only before the first row and after the last
// one there may be no memory, so there the elements are taken one by one.
template <class Op, class T>
__device__ Accumulators<Op, T> down_columns(const Columns<T>& c, i64 first, i64 next, int count) {
  constexpr int kWidth = Pack<T>::kWidth;
  const i64 size = (c.rows - 1) * c.stride + c.columns;
  Accumulators<Op, T> own;
  const auto one_by_one = [&](i64 at) {
#pragma unroll
    for (int i = 0; i < kWidth; ++i)
      if (at + i >= 0 && at + i < size)
        own.value[i] = Op::combine(own.value[i], wb::to_float(c.x[at + i]));
  };
  if (count > 0 && first < 0) one_by_one(first), first += next, --count;
  if (count > 0 && size < first + (count - 1) * next + kWidth)
    one_by_one(first + (count - 1) * next), --count;
  const auto rows = [&](const T* x, int count) {
    Pack<T> pack[kLoads];
#pragma unroll
    for (int i = 0; i < kLoads; ++i)
      if (i < count) pack[i] = Pack<T>::load(x + i * next);
#pragma unroll
    for (int i = 0; i < kLoads; ++i)
      if (i < count) own.take(pack[i]);
  };
  const T* x = c.x + first;
  for (; count >= kLoads; count -= kLoads, x += kLoads * next) rows(x, kLoads);
  if (count > 0) rows(x, count);
  return own;
}

}  // namespace
