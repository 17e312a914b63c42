// Changes against step 5: the 128 x 128 tile is cut into warp tiles of 64 x 32. A warp's lanes
// are in 8 rows and 4 columns, not in 2 and 16. A lane's 8 x 8 values are four separate squares of
// 4 x 4, so neighbouring lanes read neighbouring quads of shared memory.
//
// Predict: how many different values of A and B does a warp need per step along k, in step 5 and
// here? Which reads had bank conflicts there, and do they here?
#include "../shared/quads.cuh"
#include "sgemm.h"
#include "wb/cuda.h"

namespace {

constexpr int kTile = 128, kDepth = 8, kEach = 8, kThreads = 256;
constexpr int kLaneRows = 8, kLaneColumns = 4;  // a warp's lanes, with kEach x kEach values each
constexpr int kWarpRows = kLaneRows * kEach, kWarpColumns = kLaneColumns * kEach;
constexpr int kPad = 4;  // so that the values of a quad of A, transposed, go to different banks

__global__ void __launch_bounds__(kThreads, 2)
    multiply(wb::i64 m, wb::i64 n, wb::i64 k, const float* a, const float* b, float* c) {
  __shared__ alignas(16) float tile_a[kDepth][kTile + kPad], tile_b[kDepth][kTile];
  const wb::i64 row0 = static_cast<wb::i64>(blockIdx.y) * kTile;
  const wb::i64 column0 = static_cast<wb::i64>(blockIdx.x) * kTile;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int y = warp / (kTile / kWarpColumns) * kWarpRows + lane / kLaneColumns * 4;
  const int x = warp % (kTile / kWarpColumns) * kWarpColumns + lane % kLaneColumns * 4;

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
        *reinterpret_cast<float4*>(&left[i]) =
            *reinterpret_cast<float4*>(&tile_a[l][y + i * kLaneRows]);
        *reinterpret_cast<float4*>(&right[i]) =
            *reinterpret_cast<float4*>(&tile_b[l][x + i * kLaneColumns]);
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
      store_quad(c, m, n, row0 + y + i / 4 * 4 * kLaneRows + i % 4, column0 + x + j * kLaneColumns,
                 {sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]});
}

void run(const Sgemm::Args& p, cudaStream_t stream) {
  const dim3 grid = wb::grid((p.n + kTile - 1) / kTile, (p.m + kTile - 1) / kTile);
  if (grid.x * grid.y == 0) return;
  multiply<<<grid, kThreads, 0, stream>>>(p.m, p.n, p.k, p.a, p.b, p.c);
  WB_CHECK(cudaGetLastError());
}

}  // namespace

WB_CUDA(Sgemm, step6_warp_tiles, run);
