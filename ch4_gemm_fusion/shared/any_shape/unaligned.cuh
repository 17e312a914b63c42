// A tile of C = A B^T where rows are not whole 16 bytes, which TMA can't read. 64 numbers of such a
// row lie in nine pieces of 16 aligned bytes. cp.async brings these, several steps ahead. Then each
// thread shifts two neighbouring pieces into one, and stores it where TMA would have put it.
#pragma once

#include <cuda_pipeline.h>

#include "finish.cuh"

namespace any_shape {

constexpr int kPieces = 9;

// 16 of 32 bytes, from byte `shift` on: 0, 2, ... 14.
__device__ inline uint4 shifted(const uint4& low, const uint4& high, int shift) {
  unsigned x[] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
  for (int i = 0; i < 6; ++i) x[i] = shift & 8 ? x[i + 2] : x[i];
#pragma unroll
  for (int i = 0; i < 5; ++i) x[i] = shift & 4 ? x[i + 1] : x[i];
  const unsigned halves = shift & 2 ? 0x5432 : 0x3210;
  return {__byte_perm(x[0], x[1], halves), __byte_perm(x[1], x[2], halves),
          __byte_perm(x[2], x[3], halves), __byte_perm(x[3], x[4], halves)};
}

// kCount rows of a matrix with rows of k numbers, of which `rows` exist.
template <class T, int kCount, int kThreads> struct Rows {
  const T* first;
  int rows, k;

  // Asks for their numbers from `column` on. Zeros come for elements after k. L2 fetches 256 bytes
  // of a row at a time: the next step's, too.
  __device__ void ask(uint4* pieces, int column) const {
    for (int i = threadIdx.x; i < rows * kPieces; i += kThreads) {
      const T* const row = first + static_cast<long long>(i / kPieces) * k;
      const int late = reinterpret_cast<std::uintptr_t>(row) % 16 / 2;
      const int at = column - late + i % kPieces * 8, bytes = min(max(2 * (k - at), 0), 16);
      asm volatile("cp.async.cg.shared.global.L2::256B [%0], [%1], 16, %2;" ::"r"(
                       hopper::shared_address(pieces + i)),
                   "l"(bytes > 0 ? row + at : first), "r"(bytes)
                   : "memory");
    }
  }
  // From the pieces to a tile as wgmma reads it. A thread has every kStep-th row. kStep is a
  // multiple of 8, so all of these begin equally late.
  __device__ void shift(const uint4* pieces, T* tile) const {
    constexpr int kStep = kThreads / 8, kMine = kCount / kStep;
    static_assert(kStep % 8 == 0);
    const int r = threadIdx.x / 8, p = threadIdx.x % 8;
    const int late = reinterpret_cast<std::uintptr_t>(first + static_cast<long long>(r) * k) % 16;
    uint4 piece[kMine];
#pragma unroll
    for (int i = 0; i < kMine; ++i)
      if (r + i * kStep < rows) {
        const uint4* const from = pieces + (r + i * kStep) * kPieces + p;
        piece[i] = shifted(from[0], from[1], late);
      }
#pragma unroll
    for (int i = 0; i < kMine; ++i)
      if (r + i * kStep < rows)
        *reinterpret_cast<uint4*>(tile + (r + i * kStep) * kDepth + (p ^ r % 8) * 8) = piece[i];
  }
};

template <int kRows, int kColumns> struct Unaligned {
  static constexpr int kThreads = kRows * kColumns / 32;  // a warpgroup has 64 x 64 sums
  static constexpr int kBlocks = blocks_of(Way::unaligned, kRows* kColumns);
  static constexpr int kStages = kBlocks == 1 ? 4 : 3;
  static constexpr int kTile = 2 * kDepth * (kRows + kColumns);  // bytes
  static constexpr int kStage = kPieces * (kRows + kColumns);    // pieces
  static constexpr int kBytes = kTile + 16 * kStages * kStage;
  static_assert(finish_bytes(kRows, kColumns) <= kBytes);
};

// Of several parts of k, each has an m x n array of its own in c, one after the other.
template <int kRows, int kColumns, class T, class Out, class Epilogue>
__global__ void __launch_bounds__(Unaligned<kRows, kColumns>::kThreads,
                                  Unaligned<kRows, kColumns>::kBlocks)
    unaligned(int m, int n, int k, const T* a, const T* b, Out* c, int slices, int parts,
              const Epilogue epilogue) {
#ifdef HOPPER_CODE
  using Size = Unaligned<kRows, kColumns>;
  extern __shared__ __align__(1024) unsigned char memory[];
  T *const x = reinterpret_cast<T*>(memory), *const y = x + kRows * kDepth;
  uint4* const stages = reinterpret_cast<uint4*>(memory + Size::kTile);
  const int warpgroup = threadIdx.x / 128;
  const int down = warpgroup % (kRows / 64) * 64, across = warpgroup / (kRows / 64) * 64;
  const int part = blockIdx.x / slices % parts;
  c += static_cast<long long>(part) * m * n;
  const auto [row, column] = place<kRows, kColumns>(blockIdx.x / slices / parts, m, n);
  const auto [begin, end] = steps_of(k, part * slices + blockIdx.x % slices, slices * parts);
  const Rows<T, kRows, Size::kThreads> left{a + static_cast<long long>(row) * k,
                                            min(kRows, m - row), k};
  const Rows<T, kColumns, Size::kThreads> right{b + static_cast<long long>(column) * k,
                                                min(kColumns, n - column), k};
  const auto ask = [&](int i) {
    uint4* const stage = stages + (i - begin) % Size::kStages * Size::kStage;
    if (i < end) left.ask(stage, i * kDepth), right.ask(stage + kRows * kPieces, i * kDepth);
    __pipeline_commit();  // an empty group after the last step keeps the count right
  };

  float sum[32] = {};
  for (int i = 0; i < Size::kStages - 1; ++i) ask(begin + i);
  for (int i = begin; i < end; ++i) {
    __pipeline_wait_prior(Size::kStages - 2);
    __syncthreads();  // the step is there; the stage before it, and the tile, have been read
    ask(i + Size::kStages - 1);
    const uint4* const stage = stages + (i - begin) % Size::kStages * Size::kStage;
    left.shift(stage, x), right.shift(stage + kRows * kPieces, y);
    hopper::fence_stores();
    __syncthreads();
    hopper::begin();
#pragma unroll
    for (int j = 0; j < kDepth / 16; ++j)
      hopper::multiply<T>(sum, hopper::describe(x + down * kDepth) + 2 * j,
                          hopper::describe(y + across * kDepth) + 2 * j, true);
    hopper::commit();
    hopper::wait<0>(sum);
  }
  __pipeline_wait_prior(0);
  __syncthreads();  // no warp needs the steps any more: their place is free for the sums
  float* const tile = reinterpret_cast<float*>(memory);
  put<kColumns>(tile, sum, down, across);
  finish<kRows, kColumns>(tile, m, n, row, column, c, slices, epilogue);
#endif
}

}  // namespace any_shape
