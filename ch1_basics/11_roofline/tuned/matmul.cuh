// A block of 16 x 16 threads makes a square tile of C, a thread a square of it in registers. Pieces
// of A and B, 16 deep, pass through shared memory; while one is used, the next is on its way. Each
// value that comes from memory serves a whole row or column of the tile. (Chapter 4 gets here in
// small steps, and further.)
#pragma once

#include "../roofline.h"
#include "wb/cuda.h"

namespace {

constexpr int kSide = 16, kDepth = 16;
constexpr int kTileThreads = kSide * kSide;

// A thread's square is kGroups x kGroups pieces of a Vector's width, which are kSide pieces apart.
template <class Vector, int kGroups> struct Tile {
  static constexpr int kWidth = sizeof(Vector) / sizeof(float);
  static constexpr int kEach = kWidth * kGroups;  // side of a thread's square
  static constexpr int kExtent = kSide * kEach;   // side of the tile
  static constexpr int kPad = 4;                  // against bank conflicts when A is turned
  static constexpr int kLoads = kExtent * kDepth / kTileThreads;

  float a[2][kDepth][kExtent + kPad];  // turned: [l][row]
  float b[2][kDepth][kExtent];

  // A thread fetches kLoads elements of a piece of A, in one column, and of B, in one column.
  static constexpr int kRowStep = kTileThreads / kDepth, kDepthStep = kTileThreads / kExtent;
  static __device__ int index(int thread, int i) {  // of element i of a thread's side in the tile
    return (i / kWidth * kSide + thread) * kWidth + i % kWidth;
  }
};

template <class Vector, int kGroups>
__global__ void __launch_bounds__(kTileThreads, 2)
    multiply(wb::i64 m, wb::i64 n, wb::i64 k, const float* a, const float* b, float* c) {
  using T = Tile<Vector, kGroups>;
  __shared__ __align__(16) T tile;
  const wb::i64 row0 = static_cast<wb::i64>(blockIdx.x) * T::kExtent;
  const wb::i64 column0 = static_cast<wb::i64>(blockIdx.y) * T::kExtent;
  const int x = threadIdx.x % kSide, y = threadIdx.x / kSide;

  const int a_row = threadIdx.x / kDepth, a_depth = threadIdx.x % kDepth;
  const int b_depth = threadIdx.x / T::kExtent, b_column = threadIdx.x % T::kExtent;
  const float* from_a = a + (row0 + a_row) * k + a_depth;
  const float* from_b = b + b_depth * n + column0 + b_column;
  float next_a[T::kLoads], next_b[T::kLoads];
  const auto load = [&](wb::i64 start) {  // the piece of A and B that starts at l = start
#pragma unroll
    for (int i = 0; i < T::kLoads; ++i) {
      const bool in_a = row0 + a_row + i * T::kRowStep < m && start + a_depth < k;
      const bool in_b = column0 + b_column < n && start + b_depth + i * T::kDepthStep < k;
      next_a[i] = in_a ? from_a[i * T::kRowStep * k] : 0;
      next_b[i] = in_b ? from_b[i * T::kDepthStep * n] : 0;
    }
    from_a += kDepth;
    from_b += kDepth * n;
  };
  const auto keep = [&](int half) {
#pragma unroll
    for (int i = 0; i < T::kLoads; ++i) {
      tile.a[half][a_depth][a_row + i * T::kRowStep] = next_a[i];
      tile.b[half][b_depth + i * T::kDepthStep][b_column] = next_b[i];
    }
    __syncthreads();
  };

  float sum[T::kEach][T::kEach] = {};
  load(0);
  keep(0);
  for (wb::i64 start = 0; start < k; start += kDepth) {
    const int half = start / kDepth % 2;
    if (start + kDepth < k) load(start + kDepth);
#pragma unroll
    for (int l = 0; l < kDepth; ++l) {
      alignas(Vector) float left[T::kEach], right[T::kEach];
#pragma unroll
      for (int g = 0; g < T::kEach; g += T::kWidth) {
        *reinterpret_cast<Vector*>(&left[g]) =
            *reinterpret_cast<const Vector*>(&tile.a[half][l][T::index(y, g)]);
        *reinterpret_cast<Vector*>(&right[g]) =
            *reinterpret_cast<const Vector*>(&tile.b[half][l][T::index(x, g)]);
      }
#pragma unroll
      for (int i = 0; i < T::kEach; ++i)
#pragma unroll
        for (int j = 0; j < T::kEach; ++j) sum[i][j] += left[i] * right[j];
    }
    if (start + kDepth < k) keep(1 - half);
  }
#pragma unroll
  for (int i = 0; i < T::kEach; ++i)
#pragma unroll
    for (int j = 0; j < T::kEach; ++j) {
      const wb::i64 row = row0 + T::index(y, i), column = column0 + T::index(x, j);
      if (row < m && column < n) c[row * n + column] = sum[i][j];
    }
}

// For few columns, where most of a tile would be outside of C: B stays in shared memory, and a
// thread makes one column of kThinRows rows, so that a value of B serves as many.
constexpr int kThinRows = 4, kThinB = 4096;

__global__ void __launch_bounds__(kTileThreads)
    multiply_thin(wb::i64 m, int n, int k, const float* a, const float* b, float* c) {
  __shared__ float tile_b[kThinB];
  for (int i = threadIdx.x; i < k * n; i += kTileThreads) tile_b[i] = b[i];
  __syncthreads();
  const int rows = kTileThreads / n, row = threadIdx.x / n, column = threadIdx.x % n;
  if (row >= rows) return;
  const wb::i64 first = static_cast<wb::i64>(blockIdx.x) * rows * kThinRows + row;
  const float* from[kThinRows];
  float sum[kThinRows] = {};
#pragma unroll
  for (int r = 0; r < kThinRows; ++r)  // past the end: the last row again, which is not stored
    from[r] = a + (first + r * rows < m ? first + r * rows : m - 1) * k;
#pragma unroll 4
  for (int l = 0; l < k; ++l) {
    const float right = tile_b[l * n + column];
#pragma unroll
    for (int r = 0; r < kThinRows; ++r) sum[r] += from[r][l] * right;
  }
#pragma unroll
  for (int r = 0; r < kThinRows; ++r)
    if (first + r * rows < m) c[(first + r * rows) * n + column] = sum[r];
}

// The largest tile that leaves no multiprocessor without work.
void matmul(const Roofline::Args& p, int multiprocessors, cudaStream_t stream) {
  if (p.m * p.n == 0) return;
  const auto blocks = [&](wb::i64 extent, int tile) { return (extent + tile - 1) / tile; };
  const auto suits = [&](int tile) {
    return blocks(p.m, tile) * blocks(p.n, tile) >= multiprocessors;
  };
  const auto start = [&](auto kernel, int tile) {
    kernel<<<dim3(blocks(p.m, tile), blocks(p.n, tile)), kTileThreads, 0, stream>>>(p.m, p.n, p.k,
                                                                                    p.a, p.b, p.c);
  };
  if (p.n <= 32 && p.k * p.n <= kThinB)
    multiply_thin<<<blocks(p.m, kTileThreads / p.n * kThinRows), kTileThreads, 0, stream>>>(
        p.m, p.n, p.k, p.a, p.b, p.c);
  else if (suits(128))
    start(multiply<float4, 2>, 128);
  else if (suits(64))
    start(multiply<float4, 1>, 64);
  else
    start(multiply<float2, 1>, 32);
}

}  // namespace
