// y = a + b.
#pragma once

#include "work.cuh"

struct Add {
  int block;  // threads
  int width;  // floats per load
  int loads;  // of each array, in flight per thread

  __host__ __device__ constexpr i64 per_block() const { return i64{block} * width * loads; }
};

template <Add c> __device__ void compute(const Work& w) {
  const i64 begin = blockIdx.x * c.per_block(), first = begin + threadIdx.x * c.width;
  if (begin + c.per_block() > w.columns) {  // the last block, element by element
    for (i64 i = begin + threadIdx.x; i < w.columns; i += c.block) w.y[i] = w.a[i] + w.b[i];
    return;
  }
  Pack<c.width> a[c.loads], b[c.loads];
#pragma unroll
  for (int l = 0; l < c.loads; ++l) {
    a[l] = load<c.width>(w.a + first + l * c.block * c.width);
    b[l] = load<c.width>(w.b + first + l * c.block * c.width);
  }
#pragma unroll
  for (int l = 0; l < c.loads; ++l) store(w.y + first + l * c.block * c.width, a[l] + b[l]);
}
