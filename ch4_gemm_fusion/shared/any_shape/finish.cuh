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
// of C. A warp takes a row at a time, 64 columns of it: a lane has two neighbours that share an
// aligned word of C. Where the row begins in the middle of a word, lane 0 has the first number and
// the last instead.
template <int kRows, int kColumns, class T, class Epilogue>
__device__ void finish(const float* tile, int m, int n, int row, int column, T* c, int slices,
                       const Epilogue& epilogue) {
  constexpr int kTogether = 4;  // rows of a warp whose sums are read before the first is stored
  const auto cluster = cooperative_groups::this_cluster();
  slices > 1 ? hopper::synchronize_cluster() : __syncthreads();  // all sums are there
  const int lane = threadIdx.x % 32, warps = blockDim.x / 32, step = slices * warps;
  const int slice = slices > 1 ? cluster.block_rank() : 0;
  const int rows = min(kRows, m - row), columns = min(kColumns, n - column);
  for (int r = slice * warps + threadIdx.x / 32; r < rows; r += kTogether * step)
    for (int begin = 0; begin < columns; begin += 64) {
      T* to[kTogether];
      bool late[kTogether];
      float x[kTogether] = {}, y[kTogether] = {};
#pragma unroll
      for (int i = 0; i < kTogether; ++i) {
        to[i] = c + static_cast<long long>(row + r + i * step) * n + column + begin;
        late[i] = reinterpret_cast<std::uintptr_t>(to[i]) % 4 != 0;
      }
      for (int other = 0; other < slices; ++other) {
        const float* const part = slices > 1 ? cluster.map_shared_rank(tile, other) : tile;
#pragma unroll
        for (int i = 0; i < kTogether; ++i) {
          const float* at = part + min(r + i * step, kRows - 1) * pitch(kColumns) + begin;
          const float2 v = late[i] ? float2{at[lane ? 2 * lane - 1 : 63], at[2 * lane]}
                                   : *reinterpret_cast<const float2*>(at + 2 * lane);
          x[i] += v.x, y[i] += v.y;
        }
      }
#pragma unroll
      for (int i = 0; i < kTogether; ++i) {
        const int first = late[i] ? (lane ? 2 * lane - 1 : 63) : 2 * lane;
        const int second = 2 * lane + !late[i];
        const bool has_first = r + i * step < rows && begin + first < columns;
        const bool has_second = r + i * step < rows && begin + second < columns;
        if (has_first) x[i] = epilogue(x[i], column + begin + first);
        if (has_second) y[i] = epilogue(y[i], column + begin + second);
        if (has_first && has_second && first < second) {
          *reinterpret_cast<std::uint32_t*>(to[i] + first) = hopper::pack<T>(x[i], y[i]);
        } else {
          if (has_first) to[i][first] = wb::from_float<T>(x[i]);
          if (has_second) to[i][second] = wb::from_float<T>(y[i]);
        }
      }
    }
  if (slices > 1) hopper::synchronize_cluster();  // no block leaves while another reads its sums
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
