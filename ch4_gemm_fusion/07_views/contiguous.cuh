// The kernels of a reshape that copies, for the baseline and the exercise.
#pragma once

#include "wb/cuda.h"

constexpr int kTile = 32, kStep = 8;

// to[head][row][column] = from(head, row, column): one read and one write per element, both along
// rows of `columns`, so whole sectors move. from_* and to_* are in elements.
__global__ void copy_heads(int rows, int columns, const float* from, wb::i64 from_head,
                           wb::i64 from_row, float* to, wb::i64 to_head, wb::i64 to_row) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < columns)
    to[blockIdx.z * to_head + row * to_row + column] =
        from[blockIdx.z * from_head + row * from_row + column];
}

// to[head][column][row] = from(head, row, column), through a tile in shared memory, so that both
// sides move whole sectors (ch1_basics/03_transpose).
__global__ void transpose_heads(int rows, int columns, const float* from, wb::i64 from_head,
                                wb::i64 from_row, float* to) {
  __shared__ float tile[kTile][kTile + 1];
  const int column = blockIdx.x * kTile + threadIdx.x, row = blockIdx.y * kTile + threadIdx.x;
  const wb::i64 head = blockIdx.z;
  for (int y = threadIdx.y; y < kTile; y += kStep)
    if (blockIdx.y * kTile + y < rows && column < columns)
      tile[y][threadIdx.x] = from[head * from_head + (blockIdx.y * kTile + y) * from_row + column];
  __syncthreads();
  for (int y = threadIdx.y; y < kTile; y += kStep)
    if (blockIdx.x * kTile + y < columns && row < rows)
      to[head * rows * columns + (blockIdx.x * kTile + y) * wb::i64{rows} + row] =
          tile[threadIdx.x][y];
}

// Blocks of `x` columns and `y` rows for every head.
inline dim3 blocks_of(wb::i64 columns, wb::i64 x, wb::i64 rows, wb::i64 y, wb::i64 heads) {
  return wb::grid((columns + x - 1) / x, (rows + y - 1) / y, heads);
}
