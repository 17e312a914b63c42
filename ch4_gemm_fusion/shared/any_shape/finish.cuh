// How a tile leaves: the sums go to shared memory as fp32, row by row. If k was cut into slices,
// the blocks of a cluster have one slice each, and each adds up its share of the rows out of all
// their shared memories, always in the same order. Then the epilogue, rounding, and stores of whole
// lines, for any n. Sums of a part of k leave as they are, and add_up() makes C of them.
#pragma once

#include <cooperative_groups.h>

#include "../hopper.cuh"
#include "pair.h"
#include "plan.h"
#include "wb/half.cuh"

namespace any_shape {

// Floats from row to row: the eight rows that a warp writes at once are then in different banks.
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

// A tile in shared memory, on its way to C. A warp stores 64 columns of a row at a time.
template <int kColumns, class T, class Epilogue> struct Store {
  static constexpr int kTogether = 4;  // rows that are read before the first is stored
  const float* tile;
  T* c;  // where the tile begins
  long long n;
  int rows, columns;  // of the tile, that C has
  int column;         // of C, where the tile begins
  int slices, step;   // rows from one of a warp to its next
  Epilogue epilogue;

  // `whole`: all 64 columns are inside C. `odd`: rows of C may begin in the middle of a word.
  template <bool whole, bool odd> __device__ void some(int r, int begin) const {
    const int lane = threadIdx.x % 32;
    T* const first = c + r * n + begin;
    const auto late = [&](int i) {
      return odd && reinterpret_cast<std::uintptr_t>(first + i * step * n) % 4 != 0;
    };
    float2 x[kTogether] = {};
    for (int slice = 0; slice < slices; ++slice) {
      const float* part = tile;
      if (slices > 1) part = cooperative_groups::this_cluster().map_shared_rank(tile, slice);
#pragma unroll
      for (int i = 0; i < kTogether; ++i) {
        if (r + i * step >= rows) continue;
        const float* const at = part + (r + i * step) * pitch(kColumns) + begin;
        const Pair p = pair_of(lane, late(i));
        float2 v;
        if (late(i))
          v = {at[p.first], at[p.second]};
        else
          v = *reinterpret_cast<const float2*>(at + p.first);
        x[i].x += v.x, x[i].y += v.y;
      }
    }
#pragma unroll
    for (int i = 0; i < kTogether; ++i) {
      if (r + i * step >= rows) continue;
      T* const to = first + i * step * n;
      const Pair p = pair_of(lane, late(i));
      const bool has_first = whole || begin + p.first < columns;
      const bool has_second = whole || begin + p.second < columns;
      if (has_first) x[i].x = epilogue(x[i].x, column + begin + p.first);
      if (has_second) x[i].y = epilogue(x[i].y, column + begin + p.second);
      if constexpr (sizeof(T) == 4) {
        if (has_first) to[p.first] = x[i].x;
        if (has_second) to[p.second] = x[i].y;
      } else if (has_first && has_second && p.is_word()) {
        *reinterpret_cast<std::uint32_t*>(to + p.first) = hopper::pack<T>(x[i].x, x[i].y);
      } else {
        if (has_first) to[p.first] = wb::from_float<T>(x[i].x);
        if (has_second) to[p.second] = wb::from_float<T>(x[i].y);
      }
    }
  }
};

// For all threads of a block that has put its sums into `tile`, which begins at `row` and `column`
// of C.
template <int kRows, int kColumns, class T, class Epilogue>
__device__ void finish(const float* tile, int m, int n, int row, int column, T* c, int slices,
                       const Epilogue& epilogue) {
  slices > 1 ? hopper::synchronize_cluster() : __syncthreads();  // all sums are there
  const int warps = blockDim.x / 32, step = slices * warps;
  const int slice = slices > 1 ? cooperative_groups::this_cluster().block_rank() : 0;
  const Store<kColumns, T, Epilogue> store{tile,
                                           c + static_cast<long long>(row) * n + column,
                                           n,
                                           min(kRows, m - row),
                                           min(kColumns, n - column),
                                           column,
                                           slices,
                                           step,
                                           epilogue};
  const bool odd = n % 2 != 0 || reinterpret_cast<std::uintptr_t>(c) % 4 != 0;
  for (int r = slice * warps + threadIdx.x / 32; r < store.rows; r += store.kTogether * step)
    for (int begin = 0; begin < store.columns; begin += 64) {
      if (begin + 64 > store.columns)
        store.template some<false, true>(r, begin);
      else if (odd)
        store.template some<true, true>(r, begin);
      else
        store.template some<true, false>(r, begin);
    }
  if (slices > 1) hopper::synchronize_cluster();  // no block leaves while another reads its sums
}

// C of the sums of `parts` parts, each m x n, always added in the same order. The blocks start
// before the parts are there, and wait for them.
constexpr int kAddThreads = 256;
template <class T, class Epilogue>
__global__ void __launch_bounds__(kAddThreads)
    add_up(long long count, int n, int parts, const float* sums, T* c, const Epilogue epilogue) {
#ifdef HOPPER_CODE
  const long long i = blockIdx.x * static_cast<long long>(kAddThreads) + threadIdx.x;
  asm volatile("griddepcontrol.wait;" ::: "memory");
  if (i >= count) return;
  float sum = 0;
#pragma unroll 8
  for (int part = 0; part < parts; ++part) sum += sums[part * count + i];
  c[i] = wb::from_float<T>(epilogue(sum, static_cast<int>(i % n)));
#endif
}

// The steps along k that slice `slice` takes.
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
