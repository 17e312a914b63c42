// Products of a thin matrix, which are as fast as the other one comes from memory: each of its
// values serves 8 sums at most, so none goes through shared memory. Coalesced loads bring it to
// registers, where many are on their way at once; the thin matrix waits in shared memory.
#pragma once

#include "product.h"

namespace sgemm {

constexpr int kThin = 8, kThinThreads = 256, kThinWarps = kThinThreads / 32;

// C has few rows. A lane has 4 columns, 32 apart, and a warp every eighth quad of rows of B.
constexpr int kRowsColumns = 128, kRowsDepth = 512;

template <int kM, class Epilogue>
__global__ void __launch_bounds__(kThinThreads) few_rows(Product p, Epilogue epilogue) {
  constexpr int kColumns = kRowsColumns / 32, kQuad = 4;
  __shared__ union {
    alignas(16) float a[kM][kRowsDepth];
    float sums[kThinWarps][kM][kRowsColumns];
  } shared;
  const Place at = p.place(kM, kRowsColumns);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  float sum[kM][kColumns] = {};
  for (int start = 0; start < at.depth; start += kRowsDepth) {
    const int depth = min(kRowsDepth, at.depth - start);
    __syncthreads();  // no warp reads the values before
    for (int i = threadIdx.x; i < kM * kRowsDepth; i += kThinThreads) {
      const int row = i / kRowsDepth, l = i % kRowsDepth;
      shared.a[row][l] = l < depth && at.row + row < p.m
                             ? p.a[static_cast<wb::i64>(at.row + row) * p.k + at.begin + start + l]
                             : 0;
    }
    __syncthreads();
#pragma unroll 2
    for (int l = kQuad * warp; l < depth; l += kQuad * kThinWarps) {
      const float* b = p.b + static_cast<wb::i64>(at.begin + start + l) * p.n + at.column + lane;
      float value[kQuad][kColumns];
#pragma unroll
      for (int i = 0; i < kQuad; ++i)
#pragma unroll
        for (int j = 0; j < kColumns; ++j)
          value[i][j] = l + i < depth && at.column + lane + 32 * j < p.n
                            ? __ldcs(b + static_cast<wb::i64>(i) * p.n + 32 * j)
                            : 0;
#pragma unroll
      for (int row = 0; row < kM; ++row) {
        const float4 quad = *reinterpret_cast<const float4*>(&shared.a[row][l]);
        const float a[kQuad] = {quad.x, quad.y, quad.z, quad.w};
#pragma unroll
        for (int i = 0; i < kQuad; ++i)
#pragma unroll
          for (int j = 0; j < kColumns; ++j) sum[row][j] += a[i] * value[i][j];
      }
    }
  }
  __syncthreads();
#pragma unroll
  for (int row = 0; row < kM; ++row)
#pragma unroll
    for (int j = 0; j < kColumns; ++j) shared.sums[warp][row][lane + 32 * j] = sum[row][j];
  __syncthreads();
  for (int i = threadIdx.x; i < kM * kRowsColumns; i += kThinThreads) {
    const int row = i / kRowsColumns, column = i % kRowsColumns;
    float all = 0;
#pragma unroll
    for (int w = 0; w < kThinWarps; ++w) all += shared.sums[w][row][column];
    if (at.row + row < p.m && at.column + column < p.n)
      at.c[static_cast<wb::i64>(at.row + row) * p.n + at.column + column] =
          epilogue(all, at.column + column);
  }
}

// C has few columns. A warp has 4 rows of A at a time, and its lanes 32 neighbours of each. B may
// be stored n x k (`transposed`), and C n x m (`swapped`).
constexpr int kColumnsRows = 64, kColumnsDepth = 1024;

template <int kN, bool transposed, bool swapped, class Epilogue>
__global__ void __launch_bounds__(kThinThreads) few_columns(Product p, Epilogue epilogue) {
  constexpr int kRows = 4, kSteps = 4;
  __shared__ float b[kN][kColumnsDepth];
  const Place at = p.place(kColumnsRows, kN);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  constexpr int kTurns = kColumnsRows / (kRows * kThinWarps);
  float sum[kTurns][kRows][kN] = {};
  for (int start = 0; start < at.depth; start += kColumnsDepth) {
    const int depth = min(kColumnsDepth, at.depth - start);
    __syncthreads();
    for (int l = threadIdx.x; l < kColumnsDepth; l += kThinThreads)
#pragma unroll
      for (int j = 0; j < kN; ++j)
        b[j][l] = l < depth && at.column + j < p.n
                      ? transposed
                            ? p.b[static_cast<wb::i64>(at.column + j) * p.k + at.begin + start + l]
                            : p.b[static_cast<wb::i64>(at.begin + start + l) * p.n + at.column + j]
                      : 0;
    __syncthreads();
#pragma unroll
    for (int turn = 0; turn < kTurns; ++turn) {
      const int row = at.row + (turn * kThinWarps + warp) * kRows;
      const float* from[kRows];
#pragma unroll
      for (int r = 0; r < kRows; ++r)  // beyond the last row that one again, for nothing
        from[r] = p.a + static_cast<wb::i64>(min(row + r, p.m - 1)) * p.k + at.begin + start;
      for (int first = 0; first < depth; first += 32 * kSteps) {
        float value[kRows][kSteps];
#pragma unroll
        for (int r = 0; r < kRows; ++r)
#pragma unroll
          for (int s = 0; s < kSteps; ++s) {
            const int l = first + 32 * s + lane;
            value[r][s] = l < depth ? __ldcs(from[r] + l) : 0;
          }
#pragma unroll
        for (int s = 0; s < kSteps; ++s)
#pragma unroll
          for (int j = 0; j < kN; ++j) {
            const float right = b[j][first + 32 * s + lane];
#pragma unroll
            for (int r = 0; r < kRows; ++r) sum[turn][r][j] += value[r][s] * right;
          }
      }
    }
  }
#pragma unroll
  for (int turn = 0; turn < kTurns; ++turn) {
    float own = 0;  // lane i keeps the sum of row i / kN, column i % kN
#pragma unroll
    for (int r = 0; r < kRows; ++r)
#pragma unroll
      for (int j = 0; j < kN; ++j) {
        float all = sum[turn][r][j];
#pragma unroll
        for (int apart = 16; apart > 0; apart /= 2) all += __shfl_xor_sync(0xffffffff, all, apart);
        if (lane == r * kN + j) own = all;
      }
    const int row = at.row + (turn * kThinWarps + warp) * kRows + lane / kN;
    const int column = at.column + lane % kN;
    if (lane < kRows * kN && row < p.m && column < p.n)
      at.c[swapped ? static_cast<wb::i64>(column) * p.m + row
                   : static_cast<wb::i64>(row) * p.n + column] =
          epilogue(own, swapped ? row : column);
  }
}

}  // namespace sgemm
