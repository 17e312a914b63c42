// C = epilogue(A B^T) in 16 bits by mma.sync: for every card from compute capability 8.0 on, and
// for any m, n and k. It is the product of 02_tensor_cores/optimized. epilogue.cuh says what an
// epilogue and an order are. The new parts are:
// - Blocks go from tile to tile, and the ring of stages with them. While a block stores a tile, the
//   beginning of its next one is on its way.
// - B may be stored the other way round, k x n.
// - The sums of m16n8k16 are placed as those of wgmma are: two neighbours in row lane / 4, two
//   more eight rows below. So for an epilogue 16 rows x 64 columns of a warp are the same.
#pragma once

#include "mma_tile.cuh"

namespace fused {

// A tile has rows x columns sums, and a warp warp_rows x 64 of them. A step takes `depth` of k, and
// `stages` steps are in shared memory or on their way there. `blocks` run on a multiprocessor.
template <int rows, int columns, int depth, int stages, int blocks = 1, int warp_rows = 64>
struct MmaShape {
  static constexpr int kRows = rows, kColumns = columns, kDepth = depth, kStages = stages;
  static constexpr int kBlocks = blocks, kSlabs = warp_rows / 16, kWarpsDown = rows / warp_rows;
  static constexpr int kThreads = 32 * kWarpsDown * (columns / 64);
  static constexpr int kBytes = 2 * stages * (rows + columns) * depth;
};

// `unit`: of Copies.
template <class S, bool b_columns, int unit, class T, class Epilogue, class Order>
__device__ void multiply_mma(int m, int n, int k, const T* a, const T* b, T* c, Epilogue epilogue,
                             Order order) {
  constexpr int kDepth = S::kDepth, kParts = kDepth / 16, kA = S::kRows * kDepth,
                kB = S::kColumns * kDepth;
  extern __shared__ __align__(1024) unsigned char memory[];
  T* const left = reinterpret_cast<T*>(memory);  // the stages of A, then those of B
  T* const right = left + S::kStages * kA;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int below = warp % S::kWarpsDown * 16 * S::kSlabs, beside = warp / S::kWarpsDown * 64;
  const int steps = max(1, (k + kDepth - 1) / kDepth);
  const int down = (m + S::kRows - 1) / S::kRows, across = (n + S::kColumns - 1) / S::kColumns;

  // The next request: step `ahead` of tile `next`, into stage `free`.
  int next = blockIdx.x, ahead = 0, free = 0;
  const auto copies_of_a = [&](int2 tile) {
    return tensor::Copies<S::kThreads, S::kRows, kDepth, unit, T>(a, m, k, tile.x * S::kRows, 0);
  };
  const auto copies_of_b = [&](int2 tile) {
    if constexpr (b_columns)
      return tensor::Copies<S::kThreads, kDepth, S::kColumns, unit, T>(b, k, n, 0,
                                                                       tile.y * S::kColumns);
    else
      return tensor::Copies<S::kThreads, S::kColumns, kDepth, unit, T>(b, n, k,
                                                                       tile.y * S::kColumns, 0);
  };
  auto copy_a = copies_of_a(order(next, down, across));
  auto copy_b = copies_of_b(order(next, down, across));
  const auto ask = [&](int part) {
    copy_a.ask(left + free * kA, part, kParts);
    copy_b.ask(right + free * kB, part, kParts);
  };
  const auto end_step = [&] {  // an empty group after the last step keeps the count right
    tensor::commit();
    free = free + 1 == S::kStages ? 0 : free + 1;
    copy_a.go_right();
    b_columns ? copy_b.go_down() : copy_b.go_right();
    if (++ahead == steps) {
      ahead = 0, next += gridDim.x;
      if (next < down * across) {
        const int2 tile = order(next, down, across);
        copy_a = copies_of_a(tile), copy_b = copies_of_b(tile);
      }  // else both are outside of their matrices: zeros, which are not used
    }
  };
  // The next operands of the tensor cores, in two buffers: columns 16 part and following of a
  // stage.
  unsigned x[2][S::kSlabs][4], y[2][4][4];
  const auto load_part = [&](int stage, int part) {
    const T* const l =
        tensor::piece<kDepth>(left + stage * kA + below * kDepth, lane % 16, 2 * part + lane / 16);
#pragma unroll
    for (int i = 0; i < S::kSlabs; ++i) tensor::load(x[part % 2][i], l + 16 * i * kDepth);
    const T* const r = right + stage * kB + beside * (b_columns ? 1 : kDepth);
#pragma unroll
    for (int j = 0; j < 4; ++j)
      if constexpr (b_columns)
        tensor::load_transposed(
            y[part % 2][j],
            tensor::piece<S::kColumns>(r, lane % 16, 2 * j + lane / 16) + 16 * part * S::kColumns);
      else
        tensor::load(y[part % 2][j],
                     tensor::piece<kDepth>(r, lane / 16 * 8 + lane % 8, 2 * part + lane / 8 % 2) +
                         16 * j * kDepth);
  };

  for (int stage = 0; stage < S::kStages - 1; ++stage) {
    for (int part = 0; part < kParts; ++part) ask(part);
    end_step();
  }
  tensor::wait_for_copies<S::kStages - 2>();
  __syncthreads();
  load_part(0, 0);
  ask(0);
  int stage = 0;
  for (int tile = blockIdx.x; tile < down * across; tile += gridDim.x) {
    float sum[S::kSlabs][8][4] = {};
    for (int i = 0; i < steps; ++i)
#pragma unroll
      for (int part = 0; part < kParts; ++part) {
        if (part + 1 == kParts) {
          end_step();
          // Until this thread's part of the next step is there, then until all threads' parts are,
          // and all warps have read this step.
          tensor::wait_for_copies<S::kStages - 2>();
          __syncthreads();
          stage = stage + 1 == S::kStages ? 0 : stage + 1;
        }
        load_part(stage, (part + 1) % kParts);
        ask((part + 1) % kParts);
#pragma unroll
        for (int slab = 0; slab < S::kSlabs; ++slab)
#pragma unroll
          for (int j = 0; j < 4; ++j)
            tensor::multiply<T>(&sum[slab][2 * j], x[part % 2][slab], y[part % 2][j]);
      }

    const int2 at = order(tile, down, across);
    const int row = at.x * S::kRows + below, column = at.y * S::kColumns + beside;
    float2 note[S::kSlabs];
#pragma unroll
    for (int slab = 0; slab < S::kSlabs; ++slab) {
      float(&sums)[32] = reinterpret_cast<float(&)[32]>(sum[slab]);
      epilogue.template begin<64>(row + 16 * slab + lane / 4, column);
      epilogue.apply(sums, 0, column, note[slab]);
      tensor::store(sums, c, m, n, row + 16 * slab, column);
    }
    if constexpr (S::kSlabs == 4) epilogue.end(row, column, [&](int slab) { return note[slab]; });
  }
  tensor::wait_for_copies<0>();  // shared memory lives as long as its block
}

}  // namespace fused
