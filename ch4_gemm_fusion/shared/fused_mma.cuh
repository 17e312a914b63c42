// C = epilogue(A B^T) in 16 bits by mma.sync: for every card from compute capability 8.0 on, and
// for any m, n and k. It is the product of 02_tensor_cores/optimized with a larger tile.
// epilogue.cuh says what an epilogue and an order are. The new parts are:
// - A warp makes up to 64 x 64 sums, and eight warps a tile of 128 x 256. So each number from L2 is
//   used 85 times, and each number from shared memory 64 times.
// - The next 16 columns of A and B come into registers while the tensor cores multiply these.
// - Copies take few instructions: values that are the same for all steps of a tile are worked out
//   once.
// - Blocks go from tile to tile, and the ring of stages with them. While a block stores a tile, the
//   beginning of its next one is on its way.
// - The sums of m16n8k16 are placed as those of wgmma are: two neighbours in row lane / 4, two
//   more eight rows below. So for an epilogue 16 rows x 64 columns of a warp are the same.
#pragma once

#include "mma.cuh"

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

// A thread's copies of a tile of height x width: pieces of 16 bytes, kStep rows apart. `unit`:
// so many numbers at once. It is 8 where rows of the matrix begin at multiples of 16 bytes, 2 where
// at multiples of 4, else 1: an ordinary load, which the thread waits for.
template <int threads, int height, int width, int unit, class T> struct Copies {
  static constexpr int kPieces = width / 8, kStep = threads / kPieces;
  static_assert(height % kStep == 0 && kStep > 0, "each thread has as many pieces");
  const T* from;     // the first of them in the matrix,
  int place;         // and in the tile
  int below, right;  // rows and columns that the matrix has from there on
  long long pitch;

  // The tile begins at (row, column) of a matrix of rows x columns.
  __device__ Copies(const T* x, int rows, int columns, int row, int column)
      : place(threadIdx.x / kPieces), pitch(columns) {
    const int r = row + place, c = column + threadIdx.x % kPieces * 8;
    from = x + r * pitch + c, below = rows - r, right = columns - c;
  }
  __device__ void go_right() { from += width, right -= width; }
  __device__ void go_down() { from += height * pitch, below -= height; }
  // Asks for part `part` of `parts` of them; zeros outside of the matrix.
  __device__ void ask(T* tile, int part, int parts) const {
    const int rows = right > 0 ? below : 0;
#pragma unroll
    for (int i = part * kStep; i < height; i += parts * kStep) {
      T* const to = tensor::piece<width>(tile, place + i, threadIdx.x % kPieces);
      const T* const x = from + i * pitch;
      if constexpr (unit == 8) tensor::copy(to, x, i < rows);
#pragma unroll
      for (int e = 0; e < 8; e += unit) {
        if constexpr (unit == 2) tensor::copy_pair(to + e, x + e, i < rows && e < right);
        if constexpr (unit == 1) to[e] = i < rows && e < right ? x[e] : T(0.0f);
      }
    }
  }
};

// Rounds 16 rows x 64 columns of a warp and stores what is inside of C.
template <class T>
__device__ void store(const float (&sum)[32], T* c, int m, int n, int row, int column) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < 4; ++i) {  // 32 columns; rows lane / 4, or those eight below
    const int r = row + lane / 4 + i % 2 * 8, first = column + i / 2 * 32 + lane % 4 * 8;
    unsigned word[4];
    for (int j = 0; j < 4; ++j) word[j] = tensor::pack<T>(sum + i / 2 * 16 + 4 * j + i % 2 * 2);
    tensor::transpose(word);
    T* const to = c + static_cast<long long>(r) * n + first;
    if (r >= m || first >= n) continue;
    if (n % 8 == 0)
      *reinterpret_cast<uint4*>(to) = {word[0], word[1], word[2], word[3]};
    else
#pragma unroll
      for (int e = 0; e < 8; ++e)
        if (first + e < n)
          reinterpret_cast<unsigned short*>(to)[e] = word[e / 2] >> e % 2 * 16 & 0xFFFF;
  }
}

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
    return Copies<S::kThreads, S::kRows, kDepth, unit, T>(a, m, k, tile.x * S::kRows, 0);
  };
  const auto copies_of_b = [&](int2 tile) {
    if constexpr (b_columns)
      return Copies<S::kThreads, kDepth, S::kColumns, unit, T>(b, k, n, 0, tile.y * S::kColumns);
    else
      return Copies<S::kThreads, S::kColumns, kDepth, unit, T>(b, n, k, tile.y * S::kColumns, 0);
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
      store(sums, c, m, n, row + 16 * slab, column);
    }
    if constexpr (S::kSlabs == 4) epilogue.end(row, column, [&](int slab) { return note[slab]; });
  }
  tensor::wait_for_copies<0>();  // shared memory lives as long as its block
}

}  // namespace fused
