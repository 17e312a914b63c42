// Column sums: a thread goes down `width` columns that lie side by side.
#pragma once

#include "work.cuh"

struct Columns {
  int block;
  int width;      // columns per thread
  int lines;      // threads below each other, on other rows of the same columns
  int loads;      // rows in flight per thread
  int split = 1;  // blocks below each other, whose sums a second launch adds up

  __host__ __device__ constexpr i64 per_block() const { return i64{block} / lines * width; }
};

// kWidth: of the loads; 1 where rows do not begin at multiples of c.width.
template <Columns c, int kWidth> __device__ void sum_columns(const Work& w) {
  __shared__ Pack<kWidth> left[c.block];
  constexpr int kAcross = c.block / c.lines;
  const int across = threadIdx.x % kAcross, line = threadIdx.x / kAcross;
  const i64 begin = w.rows * blockIdx.y / gridDim.y, end = w.rows * (blockIdx.y + 1) / gridDim.y;
  for (int turn = 0; turn < c.width / kWidth; ++turn) {
    const i64 column = blockIdx.x * c.per_block() + (turn * kAcross + across) * kWidth;
    Pack<kWidth> sum = {};
    if (column < w.columns)
      for (i64 row = begin + line; row < end; row += c.lines * c.loads) {
        Pack<kWidth> pack[c.loads];
#pragma unroll
        for (int l = 0; l < c.loads; ++l) {
          const i64 own = row + l * c.lines;
          pack[l] = own < end ? load<kWidth>(w.a + own * w.columns + column) : Pack<kWidth>{};
        }
#pragma unroll
        for (int l = 0; l < c.loads; ++l) sum = sum + pack[l];
      }
    if constexpr (c.lines > 1) {
      __syncthreads();
      left[threadIdx.x] = sum;
      __syncthreads();
      for (int other = 1; line == 0 && other < c.lines; ++other)
        sum = sum + left[other * kAcross + across];
    }
    if (line == 0 && column < w.columns) store(w.y + blockIdx.y * w.columns + column, sum);
  }
}

template <Columns c> __device__ void compute(const Work& w) {
  w.columns % c.width == 0 ? sum_columns<c, c.width>(w) : sum_columns<c, 1>(w);
}
