// Changes against step 7: the loop holds little but multiply-adds. A thread makes 8 x 16 values of
// a 128 x 256 tile. Copies pass through no register (cp.async), and none in the loop has a
// condition: the slice of k that is not whole comes first. Beyond the last row or column copies
// take that one again, for sums that are not stored. (The scale, the snake's order: NOTES.md.)
// Predict: at 4096^3, how many tiles does each of 132 multiprocessors get? And at 1024^3?
#include <cuda_pipeline_primitives.h>

#include "../shared/quads.cuh"
#include "sgemm.h"
#include "wb/cuda.h"

namespace {

constexpr int kRows = 128, kColumns = 256, kDepth = 8, kThreads = 256;
constexpr int kEachRows = 8, kEachColumns = 16, kLaneRows = 8, kLaneColumns = 4;
constexpr int kWarpRows = 64, kWarpColumns = 64, kPad = 4;
constexpr int kFetchA = kRows * kDepth / kThreads, kStrideA = kThreads / kDepth;
struct Tiles {
  float a[kDepth][kRows + kPad], b[kDepth][kColumns];  // a: transposed
};

// kWidth: floats per copy of B, 4 where rows of B begin at multiples of 16 bytes. kShort: k is at
// most kDepth, so that a tile is read that no step fills; it gets zeros.
template <int kWidth, bool kShort>
__global__ void __launch_bounds__(kThreads, 1)
    multiply(wb::i64 m, wb::i64 n, wb::i64 k, const float* a, const float* b, float* c,
             float scale) {
  constexpr int kStrideB = kThreads * kWidth / kColumns, kFetchB = kDepth / kStrideB;
  __shared__ alignas(16) Tiles tiles[2];
  const wb::i64 row0 = static_cast<wb::i64>(blockIdx.y) * kRows;
  const wb::i64 column0 = static_cast<wb::i64>(blockIdx.x) * kColumns;
  const int a_row = threadIdx.x / kDepth, a_depth = threadIdx.x % kDepth;
  const int b_depth = threadIdx.x / (kColumns / kWidth);
  const int b_column = threadIdx.x % (kColumns / kWidth) * kWidth;
  const float *from_a = a + a_depth,
              *from_b = b + b_depth * n + min(column0 + b_column, n - kWidth);
  wb::i64 row[kFetchA];
#pragma unroll
  for (int i = 0; i < kFetchA; ++i) row[i] = min(row0 + a_row + i * kStrideA, m - 1) * k;
  const auto copy = [&](Tiles& to, int depth) {  // the next `depth` steps along k, then zeros
#pragma unroll
    for (int i = 0; i < kFetchA; ++i)
      __pipeline_memcpy_async(&to.a[a_depth][a_row + i * kStrideA], from_a + row[i], 4,
                              a_depth < depth ? 0 : 4);
#pragma unroll
    for (int i = 0; i < kFetchB; ++i) {
      const int l = b_depth + i * kStrideB;
      __pipeline_memcpy_async(&to.b[l][b_column], from_b + i * kStrideB * n, 4 * kWidth,
                              depth == kDepth || l < depth ? 0 : 4 * kWidth);
    }
    __pipeline_commit();
    from_a += depth;
    from_b += depth * n;
  };
  // Lanes 2i and 2i+1 read the same quad of A, lanes i and i+2 the same of B: then a warp's quads
  // of 16 bytes take two cycles and not four.
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int y =
      warp / (kColumns / kWarpColumns) * kWarpRows + ((lane >> 1 & 1) + (lane >> 2 & 6)) * 4;
  const int x =
      warp % (kColumns / kWarpColumns) * kWarpColumns + ((lane & 1) + (lane >> 1 & 2)) * 4;
  alignas(16) float left[2][kEachRows], right[2][kEachColumns];
  const auto read = [&](const Tiles& from, int l) {
#pragma unroll
    for (int i = 0; i < kEachRows; i += 4)
      *reinterpret_cast<float4*>(&left[l % 2][i]) =
          *reinterpret_cast<const float4*>(&from.a[l][y + i * kLaneRows]);
#pragma unroll
    for (int j = 0; j < kEachColumns; j += 4)
      *reinterpret_cast<float4*>(&right[l % 2][j]) =
          *reinterpret_cast<const float4*>(&from.b[l][x + j * kLaneColumns]);
  };
  const int slices = (k + kDepth - 1) / kDepth;
  float sum[kEachRows][kEachColumns] = {};
  if constexpr (kShort)
    for (int i = slices; i < 2; ++i) copy(tiles[i], 0);
  if (slices > 0) copy(tiles[0], k - (slices - 1ll) * kDepth);
  __pipeline_wait_prior(0);
  __syncthreads();
  read(tiles[0], 0);
  int now = 0;
#pragma unroll 1
  for (int slice = 1; slice <= slices; ++slice) {
    if (slice < slices) copy(tiles[1 - now], kDepth);
#pragma unroll
    for (int l = 0; l < kDepth; ++l) {
      if (l ==
          kDepth - 1) {  // the next slice has come for all, and no warp reads this one any more
        __pipeline_wait_prior(0);
        __syncthreads();
        now = 1 - now;  // after the last one: values that no thread uses
      }
      read(tiles[now], (l + 1) % kDepth);
      // Down one column and up the next: one operand stays from one multiply-add to the next.
#pragma unroll
      for (int j = 0; j < kEachColumns; ++j)
#pragma unroll
        for (int down = 0; down < kEachRows; ++down) {
          const int i = j % 2 ? kEachRows - 1 - down : down;
          sum[i][j] += left[l % 2][i] * right[l % 2][j];
        }
    }
  }
#pragma unroll
  for (int i = 0; i < kEachRows; ++i)
#pragma unroll
    for (int j = 0; j < kEachColumns; j += 4)
      store_quad(
          c, m, n, row0 + y + i / 4 * 4 * kLaneRows + i % 4, column0 + x + j * kLaneColumns,
          {scale * sum[i][j], scale * sum[i][j + 1], scale * sum[i][j + 2], scale * sum[i][j + 3]});
}

void run(const Sgemm::Args& p, cudaStream_t stream) {
  const dim3 grid = wb::grid((p.n + kColumns - 1) / kColumns, (p.m + kRows - 1) / kRows);
  if (grid.x * grid.y == 0) return;
  const auto kernel = p.k <= kDepth  ? multiply<1, true>
                      : p.n % 4 == 0 ? multiply<4, false>
                                     : multiply<1, false>;
  kernel<<<grid, kThreads, 0, stream>>>(p.m, p.n, p.k, p.a, p.b, p.c, 1);
  WB_CHECK(cudaGetLastError());
}

}  // namespace

WB_CUDA(Sgemm, optimized, run);
