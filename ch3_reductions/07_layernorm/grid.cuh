// The longest rows: all blocks of the grid share eight rows at a time. Each has the same few
// columns of all rows, so weight and bias stay in its shared memory. Its pieces of the eight rows
// stay in registers; those of the next eight are on their way into shared memory by then.
//
// The blocks tell each other through memory, with a barrier over the whole grid for every eight
// rows: all of them have to run at the same time (a cooperative launch).
#pragma once

#include <cooperative_groups.h>

#include "exchange.cuh"

namespace {

template <class T>
__global__ void __launch_bounds__(kGridThreads, 1) by_grid(Norm<T> n, float2* told) {
#if __CUDA_ARCH__ >= 900
  constexpr int kPacks = kGridElements / kWide<T>;
  using Own = Pack<T, kWide<T>>;
  extern __shared__ uint4 next[];  // eight pieces; then weight and bias
  __shared__ std::uint64_t barrier;
  __shared__ float2 of_warp[kGridRows][kGridThreads / kWarp], of_row[kGridRows];
  const auto grid = cooperative_groups::this_grid();
  const int threads = blockDim.x, thread = threadIdx.x, warp = thread / kWarp,
            lane = thread % kWarp;
  const int blocks = gridDim.x, rank = blockIdx.x, piece = kPacks * threads;  // packs
  const auto packs_of = [&](int block) {
    return min(max(static_cast<int>(n.columns / kWide<T>) - block * piece, 0), piece);
  };
  const int own = packs_of(rank);
  const i64 first = i64{rank} * piece * kWide<T>;
  const auto at = [&](int i) { return i * threads + thread; };
  const auto has = [&](int i) { return i * threads < own - thread; };
  const auto count_of_warp = [&](int warp) {
    return static_cast<float>(packs_of_warp(own, threads, warp) * kWide<T>);
  };
  const auto count_of_block = [&](int block) {
    return static_cast<float>(packs_of(block) * kWide<T>);
  };
  const Arrival arrival(&barrier);
  const auto fetch = [&](i64 row) {
    const int rows = static_cast<int>(min(n.rows - row, i64{kGridRows}));
    arrival.expect(rows * own * kLoadBytes);
    for (int r = 0; r < rows && own > 0; ++r)
      arrival.copy(next + r * piece, n.row_of_x(row + r) + first, own * kLoadBytes);
  };
  if (thread == 0) arrival.begin(), fetch(0);
  uint4* const kept = next + kGridRows * piece + thread;  // each thread's own
#pragma unroll
  for (int i = 0; i < kPacks; ++i)
    if (has(i)) {
      const i64 column = first + i64{at(i)} * kWide<T>;
      kept[i * threads] = Own::load(n.weight + column).words;
      if (!n.rms) kept[piece + i * threads] = Own::load(n.bias + column).words;
    }
  __syncthreads();

  i64 row = 0;
  for (int turn = 0; row < n.rows; row += kGridRows, ++turn) {
    arrival.wait(turn);
    Own pack[kGridRows][kPacks];
#pragma unroll
    for (int r = 0; r < kGridRows; ++r)
#pragma unroll
      for (int i = 0; i < kPacks; ++i)
        if (has(i)) pack[r][i] = {next[(r * kPacks + i) * threads + thread]};
    float mean[kGridRows], squares[kGridRows];
    of_own<T>(pack, count_of_warp(warp), n.rms, has, mean, squares);
#pragma unroll
    for (int r = 0; r < kGridRows; ++r)
      if (lane == r) of_warp[r][warp] = {mean[r], squares[r]};
    __syncthreads();  // all have their packs, so the next rows may come
    if (thread == 0 && row + kGridRows < n.rows) fetch(row + kGridRows);

    // Two arrays in turn: with the next rows some write while others still read.
    float2* const pairs = told + turn % 2 * kGridRows * blocks;
    for (int r = warp; r < kGridRows; r += threads / kWarp) {
      const auto part = [&](int i) { return of_warp[r][i]; };
      const float2 mine =
          join<1>(threads / kWarp, fmaxf(own * kWide<T>, 1), n.rms, part, count_of_warp);
      if (lane == 0) __stcg(pairs + r * blocks + rank, mine);
    }
    grid.sync();
    for (int r = warp; r < kGridRows; r += threads / kWarp) {
      const auto part = [&](int i) { return __ldcg(pairs + r * blocks + i); };
      const float2 all = join<kGridMost / kWarp>(blocks, static_cast<float>(n.columns), n.rms, part,
                                                 count_of_block);
      if (lane == 0) of_row[r] = {all.x, n.rstd_of(all.y)};
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kPacks; ++i)
      if (has(i)) {
        const i64 column = first + i64{at(i)} * kWide<T>;
        const Own weight{kept[i * threads]}, bias{kept[piece + i * threads]};
        T* y = n.y + row * n.columns + column;
#pragma unroll
        for (int r = 0; r < kGridRows; ++r, y += n.columns)
          if (row + r < n.rows)
            normalized(n, pack[r][i], of_row[r].x, of_row[r].y, weight, bias).store(y);
      }
  }
#endif
}

}  // namespace
