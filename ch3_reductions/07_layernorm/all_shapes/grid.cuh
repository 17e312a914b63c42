// The longest rows: a block on each multiprocessor, and together they have a few rows in registers.
// Each has the same columns of every row, so their weight and bias stay in its shared memory.
//
// That is a team. A multiprocessor has blocks of several teams, which know nothing of each other:
// while one waits for its others, the rest load or store. In a team the blocks tell each other
// through memory, without a common barrier: what a block says of a row carries the turn it is said
// in, and who wants to know reads until all say the turn they should. For that all blocks have to
// run at the same time (a cooperative launch).
#pragma once

#include <cuda/atomic>

#include "exchange.cuh"

namespace {

// A value and the turn it belongs to in one word, which is stored and loaded as a whole: so whoever
// finds the turn has the value, too, and nothing has to be ordered. NCCL's LL protocol does the
// same between GPUs.
struct Told {
  std::uint64_t mean, squares;

  using Word = cuda::atomic_ref<std::uint64_t, cuda::thread_scope_device>;
  static __device__ std::uint64_t word(float value, unsigned turn) {
    return std::uint64_t{turn} << 32 | __float_as_uint(value);
  }
  __device__ void say(float2 pair, unsigned turn) {
    Word(mean).store(word(pair.x, turn), cuda::memory_order_relaxed);
    Word(squares).store(word(pair.y, turn), cuda::memory_order_relaxed);
  }
  // Whether `pair` has been said in this turn.
  __device__ bool heard(float2& pair, unsigned turn) {
    const std::uint64_t x = Word(mean).load(cuda::memory_order_relaxed);
    const std::uint64_t y = Word(squares).load(cuda::memory_order_relaxed);
    pair = {__uint_as_float(static_cast<unsigned>(x)), __uint_as_float(static_cast<unsigned>(y))};
    return x >> 32 == turn && y >> 32 == turn;
  }
};

// Blocks of a team are `blocks` neighbours. `told` has, per team, two arrays of their words for
// each of kGridRows rows, all 0 at first; `turns` how many turns a team has had in all launches.
template <class T>
__global__ void __launch_bounds__(kGridThreads, kGridTeams)
    by_grid(Norm<T> n, int blocks, Told* told, unsigned* turns) {
  constexpr int kPacks = kGridElements / Pack<T>::kWidth, kRows = kGridRows;
  using Own = Pack<T>;
  extern __shared__ uint4 kept[];  // weight, then bias
  __shared__ float2 of_warp[kRows][kGridThreads / kWarp], pairs[kRows * kGridMost];
  const int threads = blockDim.x, thread = threadIdx.x, warp = thread / kWarp,
            lane = thread % kWarp;
  const int team = blockIdx.x / blocks, teams = gridDim.x / blocks, rank = blockIdx.x % blocks;
  const int piece = kPacks * threads;
  const auto packs_of = [&](int block) {
    return min(max(static_cast<int>(n.columns / Pack<T>::kWidth) - block * piece, 0), piece);
  };
  const int own = packs_of(rank), left = own - thread;
  const auto has = [&](int i) { return i * threads < left; };
  const auto count_of_warp = [&](int warp) {
    return static_cast<float>(packs_of_warp(own, threads, warp) * Pack<T>::kWidth);
  };
  const auto count_of_block = [&](int block) {
    return static_cast<float>(packs_of(block) * Pack<T>::kWidth);
  };
  const int first = rank * piece * Pack<T>::kWidth, mine = first + thread * Pack<T>::kWidth;

  const int rows = static_cast<int>(n.rows);  // so long ones are few

  Own pack[kRows][kPacks] = {};
  const auto load = [&](int row, int r) {
    if (row + r >= rows) return;
    const T* const x = n.row_of_x(row + r) + mine;
#pragma unroll
    for (int i = 0; i < kPacks; ++i)
      if (has(i))
        pack[r][i].words = *reinterpret_cast<const uint4*>(x + i * threads * Pack<T>::kWidth);
  };
  const int step = teams * kRows;
  int row = team * kRows;
#pragma unroll
  for (int r = 0; r < kRows; ++r) load(row, r);
  for (int i = thread; i < own; i += threads) {
    kept[i] = Own::load(n.weight + first + i * Pack<T>::kWidth).words;
    if (!n.rms) kept[piece + i] = Own::load(n.bias + first + i * Pack<T>::kWidth).words;
  }
  unsigned turn = turns[team];
  __syncthreads();

  told += team * 2 * kRows * blocks;
  for (; row < rows; row += step) {
    ++turn;
    float mean[kRows], squares[kRows];
    of_own<T>(pack, count_of_warp(warp), n.rms, has, mean, squares);
#pragma unroll
    for (int r = 0; r < kRows; ++r)
      if (lane == r) of_warp[r][warp] = {mean[r], squares[r]};
    __syncthreads();
    // Two arrays, for even turns and odd: when a block says something in the next turn but one, all
    // others have in the next one, and before that they have heard all that was said in this.
    Told* const of_blocks = told + turn % 2 * kRows * blocks;
    for (int r = warp; r < kRows; r += threads / kWarp) {
      const auto part = [&](int i) { return of_warp[r][i]; };
      const float2 of_block =
          join<1>(threads / kWarp, fmaxf(own * Pack<T>::kWidth, 1), n.rms, part, count_of_warp);
      if (lane == 0) of_blocks[r * blocks + rank].say(of_block, turn);
    }
    for (int i = thread; i < kRows * blocks; i += threads)
      while (!of_blocks[i].heard(pairs[i], turn)) continue;
    __syncthreads();
    float rstd[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const auto part = [&](int i) { return pairs[r * blocks + i]; };
      const float2 all = join<kGridMost / kWarp, true>(blocks, static_cast<float>(n.columns), n.rms,
                                                       part, count_of_block);
      mean[r] = all.x, rstd[r] = n.rstd_of(all.y);
    }
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      if (row + r >= rows) break;
      T* const y = n.y + i64{row + r} * n.columns + mine;
#pragma unroll
      for (int i = 0; i < kPacks; ++i)
        if (has(i)) {
          const int at = i * threads + thread;
          normalized(n, pack[r][i], mean[r], rstd[r], Own{kept[at]}, Own{kept[piece + at]})
              .store(y + i * threads * Pack<T>::kWidth);
        }
      load(row + step, r);
    }
  }
  if (rank == 0 && thread == 0) turns[team] = turn;  // all have read it: they have said something
}

}  // namespace
