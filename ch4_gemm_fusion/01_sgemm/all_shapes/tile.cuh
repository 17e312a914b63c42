// The kernel of all_shapes: `optimized` with its numbers as parameters. A block makes one tile of C
// from one part of k.
#pragma once

#include <cuda_pipeline_primitives.h>

#include "../quads.cuh"

namespace {

// A warp's lanes are in kLaneRows rows, and each has 8 x kEach values of C. Tiles of A and B are
// kDepth deep, and kStages of them are on their way or in use.
template <int kWarpsDown, int kWarpsAcross, int kLaneRows_, int kEach, int kDepth_, int kStages_,
          int kResident_>
struct Shape {
  static constexpr int kEachRows = 8, kEachColumns = kEach;
  static constexpr int kLaneRows = kLaneRows_, kLaneColumns = 32 / kLaneRows;
  static constexpr int kWarpRows = kLaneRows * kEachRows, kWarpColumns = kLaneColumns * kEach;
  static constexpr int kAcross = kWarpsAcross;
  static constexpr int kRows = kWarpsDown * kWarpRows, kColumns = kWarpsAcross * kWarpColumns;
  static constexpr int kThreads = 32 * kWarpsDown * kWarpsAcross, kResident = kResident_;
  static constexpr int kDepth = kDepth_, kStages = kStages_, kPad = 4;
  struct Tiles {
    float a[kDepth][kRows + kPad], b[kDepth][kColumns];  // a: transposed
  };
};

// Block i makes tile i % tiles of part i / tiles, and writes it to `c` + part * pitch.
struct Product {
  int m, n, k, part, tiles, across;  // part: of k; across: tiles of a row of tiles
  const float *a, *b;
  float* c;
  wb::i64 pitch;
};

template <class S,
          int kWidth>  // floats per copy of B: 4 where rows of B begin at multiples of 16 bytes
__global__ void __launch_bounds__(S::kThreads, S::kResident) multiply(Product p, float scale) {
  constexpr int kFetchA = S::kRows * S::kDepth / S::kThreads, kStrideA = S::kThreads / S::kDepth;
  constexpr int kWide = S::kColumns / kWidth, kFetchB = kWide * S::kDepth / S::kThreads;
  static_assert(kFetchA > 0 && kFetchB > 0);
  __shared__ alignas(16) typename S::Tiles tiles[S::kStages];
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();  // add_parts may come, and wait
#endif
  const int tile = blockIdx.x % p.tiles, part = blockIdx.x / p.tiles;
  const int row0 = tile / p.across * S::kRows, column0 = tile % p.across * S::kColumns;
  const int begin = part * p.part, depth = min(p.part, p.k - begin);
  const int slices = (depth + S::kDepth - 1) / S::kDepth;

  const int a_depth = threadIdx.x % S::kDepth, a_row = threadIdx.x / S::kDepth;
  const float* from_a = p.a + begin + a_depth;
  const float* from_b = p.b + static_cast<wb::i64>(begin) * p.n;
  const int last_row = p.m - 1, last_column = p.n - kWidth;
  // The next `depth` steps along k, behind zeros. Beyond the last row or column it takes that one
  // again, for sums that no thread stores.
  const auto copy = [&](typename S::Tiles& to, int depth) {
#pragma unroll
    for (int i = 0; i < kFetchA; ++i)
      __pipeline_memcpy_async(
          &to.a[a_depth][a_row + i * kStrideA],
          from_a + static_cast<wb::i64>(min(row0 + a_row + i * kStrideA, last_row)) * p.k, 4,
          a_depth < depth ? 0 : 4);
#pragma unroll
    for (int i = 0; i < kFetchB; ++i) {
      const int l = (i * S::kThreads + threadIdx.x) / kWide;
      const int column = (i * S::kThreads + threadIdx.x) % kWide * kWidth;
      __pipeline_memcpy_async(
          &to.b[l][column],
          from_b + static_cast<wb::i64>(l) * p.n + min(column0 + column, last_column), 4 * kWidth,
          l < depth ? 0 : 4 * kWidth);
    }
    from_a += depth;
    from_b += static_cast<wb::i64>(depth) * p.n;
  };

  // Lanes 2i and 2i+1 read the same quad of A, lanes i and i+2 the same of B (see optimized.cu).
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  constexpr int kPairs = S::kLaneColumns / 2;
  const int y = warp / S::kAcross * S::kWarpRows + ((lane >> 1 & 1) + (lane >> 2) / kPairs * 2) * 4;
  const int x = warp % S::kAcross * S::kWarpColumns + ((lane & 1) + (lane >> 2) % kPairs * 2) * 4;
  alignas(16) float left[2][S::kEachRows], right[2][S::kEachColumns];
  const auto read = [&](const typename S::Tiles& from, int l) {
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
    if (i < slices) copy(tiles[i], i > 0 ? S::kDepth : depth - (slices - 1) * S::kDepth);
    __pipeline_commit();
  }
  __pipeline_wait_prior(S::kStages - 2);
  __syncthreads();
  if (slices > 0) read(tiles[0], 0);
  int now = 0, free = S::kStages - 1;
#pragma unroll 1
  for (int slice = 0; slice < slices; ++slice) {
    if (slice + S::kStages - 1 < slices) copy(tiles[free], S::kDepth);
    __pipeline_commit();
#pragma unroll
    for (int l = 0; l < S::kDepth; ++l) {
      if (l == S::kDepth - 1) {  // the next slice has come, and no warp reads this one any more
        __pipeline_wait_prior(S::kStages - 2);
        __syncthreads();
        free = now;
        now = now + 1 < S::kStages ? now + 1 : 0;
      }
      read(tiles[now], (l + 1) % S::kDepth);
#pragma unroll
      for (int j = 0; j < S::kEachColumns; ++j)
#pragma unroll
        for (int down = 0; down < S::kEachRows; ++down) {
          const int i = j % 2 ? S::kEachRows - 1 - down : down;
          sum[i][j] += left[l % 2][i] * right[l % 2][j];
        }
    }
  }
  float* const c = p.c + part * p.pitch;
#pragma unroll
  for (int i = 0; i < S::kEachRows; ++i)
#pragma unroll
    for (int j = 0; j < S::kEachColumns; j += 4)
      store_quad(
          c, p.m, p.n, row0 + y + i / 4 * 4 * S::kLaneRows + i % 4,
          column0 + x + j * S::kLaneColumns,
          {scale * sum[i][j], scale * sum[i][j + 1], scale * sum[i][j + 2], scale * sum[i][j + 3]});
}

}  // namespace
