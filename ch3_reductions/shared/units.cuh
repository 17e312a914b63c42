// A row in shared memory that some lanes take: what each of them has of it, in units, as many
// elements as an access can have there.
#pragma once

#include "pack.cuh"
#include "run.cuh"
#include "stage.h"

namespace {

template <class T, int kUnit> struct Units {
  using Unit = Pack<T, kUnit>;
  int teams, team;  // of lanes in the block, and this one; each has a row
  int first, step;  // columns
  int most, count;  // units of a row that any lane has, and this one

  // `lanes`: a power of two.
  __device__ Units(int columns, int lanes) {
    const int bits = 31 - __clz(lanes), lane = static_cast<int>(threadIdx.x) & (lanes - 1);
    teams = kStageThreads >> bits, team = static_cast<int>(threadIdx.x) >> bits;
    first = lane * kUnit, step = lanes * kUnit;
    most = (columns / kUnit + lanes - 1) >> bits;
    count = (columns / kUnit - lane + lanes - 1) >> bits;
  }
  // f(i, column) for each unit. They are in registers, so i must be known when this is compiled;
  // how often it is called is the same for the whole block, and may be too often by some.
  template <class F> __device__ void each(F f) const {
    int column = first;
#pragma unroll
    for (int i = 0; i < kStageUnits; i += 2)
      if (i < most) {
        f(i, column), f(i + 1, column + step);
        column += 2 * step;
      }
  }
  static __device__ Unit load(const T* from) {  // of shared memory
    return {*reinterpret_cast<const typename Unit::Words*>(from)};
  }
};

}  // namespace
