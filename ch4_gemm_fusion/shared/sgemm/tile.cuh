// The kernel of 01_sgemm's `optimized` with its numbers as parameters. A block makes one tile of C
// from one part of k.
#pragma once

#include "copy.cuh"
#include "product.h"

namespace sgemm {

// A warp's lanes are in kLaneRows rows, and each has 8 x 8 or 8 x 16 values of C. Tiles of A and B
// are 8 deep, and kStages of them are on their way or in use.
template <int kWarpsDown, int kWarpsAcross, int kLaneRows_, int kEach, int kStages_, int kResident_>
struct Shape {
  static constexpr int kEachRows = 8, kEachColumns = kEach, kDepth = 8, kPad = 4;
  static constexpr int kLaneRows = kLaneRows_, kLaneColumns = 32 / kLaneRows;
  static constexpr int kWarpRows = kLaneRows * kEachRows, kWarpColumns = kLaneColumns * kEach;
  static constexpr int kAcross = kWarpsAcross;  // warps
  static constexpr int kRows = kWarpsDown * kWarpRows, kColumns = kWarpsAcross * kWarpColumns;
  static constexpr int kThreads = 32 * kWarpsDown * kWarpsAcross;
  static constexpr int kStages = kStages_, kResident = kResident_;
  template <int kPadB> struct Tiles {
    float a[kDepth][kRows + kPad], b[kDepth][kColumns + kPadB];  // a: transposed
  };
};

// kWidth: floats per copy of B, 4 where its rows begin at 16 bytes; or 0, where B is stored n x k
// and comes as A does, value by value, 8 neighbours of a row at a time.
template <class S, int kWidth, class Epilogue>
__global__ void __launch_bounds__(S::kThreads, S::kResident)
    multiply(Product p, Epilogue epilogue) {
  constexpr bool kTransposed = kWidth == 0;
  using Tiles = typename S::template Tiles<kTransposed ? S::kPad : 0>;
  constexpr int kThreads = S::kThreads, kDepth = S::kDepth;
  constexpr int kFetchA = S::kRows * kDepth / kThreads, kStrideA = kThreads / kDepth;
  constexpr int kWide = S::kColumns / (kTransposed ? 1 : kWidth),
                kFetchB = kWide * kDepth / kThreads;
  constexpr int kTurns = kWide > kThreads ? kWide / kThreads : 1;  // for a row of B
  static_assert(kFetchA > 0 && kFetchB > 0);
  __shared__ alignas(16) Tiles tiles[S::kStages];
  const Place at = p.place(S::kRows, S::kColumns);
  const int slices = (at.depth + kDepth - 1) / kDepth;

  // Beyond the last row a thread takes that one again, for sums that no thread stores. Beyond the
  // last column there are zeros: lanes that copy the same value would take turns.
  const int a_depth = threadIdx.x % kDepth, a_row = threadIdx.x / kDepth;
  const int b_depth = kTransposed ? a_depth : kTurns > 1 ? 0 : threadIdx.x / kWide;
  const int b_column = kTransposed ? a_row : kTurns > 1 ? threadIdx.x : threadIdx.x % kWide;
  const float* from_a = p.a + static_cast<wb::i64>(at.row) * p.k + at.begin + a_depth;
  const float* from_b =
      kTransposed ? p.b + (static_cast<wb::i64>(at.column) + b_column) * p.k + at.begin + b_depth
                  : p.b + (static_cast<wb::i64>(at.begin) + b_depth) * p.n;
  unsigned row[kFetchA], column[kTurns];
  bool inside[kTurns];
#pragma unroll
  for (int i = 0; i < kFetchA; ++i)
    row[i] = static_cast<unsigned>(min(a_row + i * kStrideA, p.m - 1 - at.row)) * p.k;
#pragma unroll
  for (int i = 0; i < kTurns; ++i) {
    column[i] = at.column + (b_column + i * kThreads) * kWidth;
    inside[i] = static_cast<int>(column[i]) < p.n;
  }
  const auto copy = [&](Tiles& to, int depth) {  // the next steps, behind zeros
#pragma unroll
    for (int i = 0; i < kFetchA; ++i)
      copy_async<4>(&to.a[a_depth][a_row + i * kStrideA], from_a + row[i], a_depth < depth);
#pragma unroll
    for (int i = 0; i < kFetchB; ++i) {
      if constexpr (kTransposed) {
        copy_async<4>(&to.b[b_depth][b_column + i * kStrideA],
                      from_b + static_cast<unsigned>(i * kStrideA) * p.k,
                      b_depth < depth && b_column + i * kStrideA < p.n - at.column);
      } else {
        const int turn = i % kTurns;
        const int l = kTurns > 1 ? i / kTurns : i * (kThreads / kWide);
        copy_async<4 * kWidth>(&to.b[b_depth + l][(b_column + turn * kThreads) * kWidth],
                               from_b + static_cast<wb::i64>(l) * p.n + column[turn],
                               inside[turn] && b_depth + l < depth);
      }
    }
    from_a += depth;
    from_b += kTransposed ? depth : static_cast<wb::i64>(depth) * p.n;
  };

  // Lanes 2i and 2i+1 read the same quad of A, lanes i and i+2 the same of B (see optimized.cu).
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  constexpr int kPairs = S::kLaneColumns / 2;
  const int y = warp / S::kAcross * S::kWarpRows + ((lane >> 1 & 1) + (lane >> 2) / kPairs * 2) * 4;
  const int x = warp % S::kAcross * S::kWarpColumns + ((lane & 1) + (lane >> 2) % kPairs * 2) * 4;
  alignas(16) float left[2][S::kEachRows], right[2][S::kEachColumns];
  const auto read = [&](const Tiles& from, int l) {
#pragma unroll
    for (int i = 0; i < S::kEachRows; i += 4)
      *reinterpret_cast<float4*>(&left[l % 2][i]) =
          *reinterpret_cast<const float4*>(&from.a[l][y + i * S::kLaneRows]);
#pragma unroll
    for (int j = 0; j < S::kEachColumns; j += 4)
      *reinterpret_cast<float4*>(&right[l % 2][j]) =
          *reinterpret_cast<const float4*>(&from.b[l][x + j * S::kLaneColumns]);
  };

  float sum[S::kEachRows][S::kEachColumns] = {};
#pragma unroll
  for (int i = 0; i < S::kStages - 1; ++i) {
    if (i < slices) copy(tiles[i], i > 0 ? kDepth : at.depth - (slices - 1) * kDepth);
    __pipeline_commit();
  }
  __pipeline_wait_prior(S::kStages - 2);
  __syncthreads();
  if (slices > 0) read(tiles[0], 0);
  int now = 0, free = S::kStages - 1;
#pragma unroll 1
  for (int slice = 0; slice < slices; ++slice) {
    if (slice + S::kStages - 1 < slices) copy(tiles[free], kDepth);
    __pipeline_commit();
#pragma unroll
    for (int l = 0; l < kDepth; ++l) {
      if (l == kDepth - 1) {  // the next slice has come, and no warp reads this one any more
        __pipeline_wait_prior(S::kStages - 2);
        __syncthreads();
        free = now;
        // After the last slice its values are read once more, and nobody uses them.
        if (slice + 1 < slices) now = now + 1 < S::kStages ? now + 1 : 0;
      }
      read(tiles[now], (l + 1) % kDepth);
#pragma unroll
      for (int j = 0; j < S::kEachColumns; ++j)
#pragma unroll
        for (int down = 0; down < S::kEachRows; ++down) {
          const int i = j % 2 ? S::kEachRows - 1 - down : down;
          sum[i][j] += left[l % 2][i] * right[l % 2][j];
        }
    }
  }
#pragma unroll
  for (int i = 0; i < S::kEachRows; ++i)
#pragma unroll
    for (int j = 0; j < S::kEachColumns; j += 4) {
      const int column = at.column + x + j * S::kLaneColumns;
      store_quad(at.c, p.m, p.n, at.row + y + i / 4 * 4 * S::kLaneRows + i % 4, column,
                 finished(epilogue, {sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]},
                          column, p.n));
    }
}

}  // namespace sgemm
