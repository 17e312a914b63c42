// Changes against step 4: everything moves in quads of 16 bytes (quads.cuh), a quarter of the
// loads and stores. For that A is transposed on its way into shared memory: the eight rows that a
// thread needs at a step along k are then next to each other.
//
// Predict: how many loads from shared memory per step along k are left, for 64 multiply-adds? The
// lanes of a warp read quads of B that are 32 bytes apart: how many of them share their banks?
#include "../shared/quads.cuh"
#include "sgemm.h"
#include "wb/cuda.h"

namespace {

constexpr int kTile = 128, kDepth = 8, kEach = 8, kSide = kTile / kEach;
constexpr int kThreads = kSide * kSide;
static_assert(kTile * kDepth == 4 * kThreads);  // a thread fetches a quad of A and one of B

__global__ void __launch_bounds__(kThreads, 2)
    multiply(wb::i64 m, wb::i64 n, wb::i64 k, const float* a, const float* b, float* c) {
  __shared__ alignas(16) float tile_a[kDepth][kTile], tile_b[kDepth][kTile];
  const wb::i64 row0 = static_cast<wb::i64>(blockIdx.y) * kTile;
  const wb::i64 column0 = static_cast<wb::i64>(blockIdx.x) * kTile;
  const int x = threadIdx.x % kSide * kEach, y = threadIdx.x / kSide * kEach;

  const int a_row = threadIdx.x / (kDepth / 4), a_depth = threadIdx.x % (kDepth / 4) * 4;
  const int b_depth = threadIdx.x / (kTile / 4), b_column = threadIdx.x % (kTile / 4) * 4;
  float sum[kEach][kEach] = {};
  for (wb::i64 start = 0; start < k; start += kDepth) {
    const float4 quad = load_quad(a, m, k, row0 + a_row, start + a_depth);
    tile_a[a_depth][a_row] = quad.x;
    tile_a[a_depth + 1][a_row] = quad.y;
    tile_a[a_depth + 2][a_row] = quad.z;
    tile_a[a_depth + 3][a_row] = quad.w;
    *reinterpret_cast<float4*>(&tile_b[b_depth][b_column]) =
        load_quad(b, k, n, start + b_depth, column0 + b_column);
    __syncthreads();
#pragma unroll
    for (int l = 0; l < kDepth; ++l) {
      alignas(16) float left[kEach], right[kEach];
#pragma unroll
      for (int i = 0; i < kEach; i += 4) {
        *reinterpret_cast<float4*>(&left[i]) = *reinterpret_cast<float4*>(&tile_a[l][y + i]);
        *reinterpret_cast<float4*>(&right[i]) = *reinterpret_cast<float4*>(&tile_b[l][x + i]);
      }
#pragma unroll
      for (int i = 0; i < kEach; ++i)
#pragma unroll
        for (int j = 0; j < kEach; ++j) sum[i][j] += left[i] * right[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kEach; ++i)
#pragma unroll
    for (int j = 0; j < kEach; j += 4)
      store_quad(c, m, n, row0 + y + i, column0 + x + j,
                 {sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]});
}

void run(const Sgemm::Args& p, cudaStream_t stream) {
  const dim3 grid = wb::grid((p.n + kTile - 1) / kTile, (p.m + kTile - 1) / kTile);
  if (grid.x * grid.y == 0) return;
  multiply<<<grid, kThreads, 0, stream>>>(p.m, p.n, p.k, p.a, p.b, p.c);
  WB_CHECK(cudaGetLastError());
}

}  // namespace

WB_CUDA(Sgemm, step5_vectorized, run);
