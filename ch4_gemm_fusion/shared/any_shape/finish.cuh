// How a tile leaves: the sums go to shared memory as fp32, row by row. If k was cut into slices,
// the blocks of a cluster have one slice each, and each adds up its share of the rows out of all
// their shared memories, always in the same order. Then the epilogue, rounding, and stores of whole
// lines, for any n.
#pragma once

#include <cooperative_groups.h>

#include "../hopper.cuh"
#include "plan.h"
#include "wb/half.cuh"

namespace any_shape {

// Floats from row to row: the eight rows that a warp writes at once then lie in different banks.
constexpr int pitch(int columns) { return columns + 8; }
constexpr int finish_bytes(int rows, int columns) { return 4 * rows * pitch(columns); }

// 64 rows of a warpgroup, from `row` and `column` of the tile on. The order is that of wgmma.cuh.
template <int kColumns, int count>
__device__ void put(float* tile, const float (&sum)[count], int row, int column) {
  const int lane = threadIdx.x % 32;
  float* to = tile + (row + threadIdx.x % 128 / 32 * 16 + lane / 4) * pitch(kColumns) + column +
              lane % 4 * 2;
#pragma unroll
  for (int j = 0; j < count / 4; ++j, to += 8) {
    *reinterpret_cast<float2*>(to) = {sum[4 * j], sum[4 * j + 1]};
    *reinterpret_cast<float2*>(to + 8 * pitch(kColumns)) = {sum[4 * j + 2], sum[4 * j + 3]};
  }
}

// For all threads of a block that has put its sums into `tile`, which begins at `row` and `column`
// of C. A lane has two neighbours that share an aligned word of C, so where a row begins in the
// middle of one, lane 0 has a half.
template <int kRows, int kColumns, class T, class Epilogue>
__device__ void finish(const float* tile, int m, int n, int row, int column, T* c, int slices,
                       const Epilogue& epilogue) {
  const auto cluster = cooperative_groups::this_cluster();
  hopper::synchronize_cluster();  // all sums are there
  const int lane = threadIdx.x % 32, warps = blockDim.x / 32;
  const int rows = min(kRows, m - row), columns = min(kColumns, n - column);
  for (int r = cluster.block_rank() * warps + threadIdx.x / 32; r < rows; r += slices * warps) {
    T* const to = c + static_cast<long long>(row + r) * n + column;
    const int late = reinterpret_cast<std::uintptr_t>(to) / sizeof(T) % 2;
    for (int j = 2 * lane - late; j < columns; j += 64) {
      const bool first = j >= 0, second = j + 1 < columns;
      const int at = r * pitch(kColumns) + j;
      float x = 0, y = 0;
      for (int slice = 0; slice < slices; ++slice) {
        const float* part = slices == 1 ? tile : cluster.map_shared_rank(tile, slice);
        if (first) x += part[at];
        if (second) y += part[at + 1];
      }
      if (first) x = epilogue(x, column + j);
      if (second) y = epilogue(y, column + j + 1);
      if (first && second)
        *reinterpret_cast<std::uint32_t*>(to + j) = hopper::pack<T>(x, y);
      else if (first)
        to[j] = wb::from_float<T>(x);
      else
        to[j + 1] = wb::from_float<T>(y);
    }
  }
  hopper::synchronize_cluster();  // no block leaves while another reads its sums
}

// Which steps of k are slice `slice`'s.
__device__ inline int2 steps_of(int k, int slice, int slices) {
  const long long steps = (k + kDepth - 1) / kDepth;
  return {static_cast<int>(steps * slice / slices), static_cast<int>(steps * (slice + 1) / slices)};
}

// Where tile `index` begins: down a group of 8 rows of tiles, then the next column of them.
template <int kRows, int kColumns> __device__ int2 place(int index, int m, int n) {
  constexpr int kGroup = 8;
  const int down = (m + kRows - 1) / kRows, across = (n + kColumns - 1) / kColumns;
  const int first = index / (kGroup * across) * kGroup, height = min(kGroup, down - first);
  const int in_group = index % (kGroup * across);
  return {(first + in_group % height) * kRows, in_group / height * kColumns};
}

}  // namespace any_shape
