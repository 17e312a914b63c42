// Changes against step 6: there are two pairs of tiles. A thread asks for its quads of the next
// pair before it multiplies this one, and puts them into the other pair after that, so memory
// answers during the multiplication. One barrier per slice is left of two.
//
// Predict: in step 6 all warps of a block wait for memory at the same time, 512 times at k = 4096,
// and only the other block of the multiprocessor has work meanwhile. How much can this save? Where
// do the quads wait, and how many registers are left for that?
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
  __shared__ alignas(16) float tile_a[2][kDepth][kTile + kPad], tile_b[2][kDepth][kTile];
  const wb::i64 row0 = static_cast<wb::i64>(blockIdx.y) * kTile;
  const wb::i64 column0 = static_cast<wb::i64>(blockIdx.x) * kTile;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int y = warp / (kTile / kWarpColumns) * kWarpRows + lane / kLaneColumns * 4;
  const int x = warp % (kTile / kWarpColumns) * kWarpColumns + lane % kLaneColumns * 4;

  const int a_row = threadIdx.x / (kDepth / 4), a_depth = threadIdx.x % (kDepth / 4) * 4;
  const int b_depth = threadIdx.x / (kTile / 4), b_column = threadIdx.x % (kTile / 4) * 4;
  float4 next_a, next_b;
  const auto ask = [&](wb::i64 start) {
    next_a = load_quad(a, m, k, row0 + a_row, start + a_depth);
    next_b = load_quad(b, k, n, start + b_depth, column0 + b_column);
  };
  const auto keep = [&](int buffer) {
    tile_a[buffer][a_depth][a_row] = next_a.x;
    tile_a[buffer][a_depth + 1][a_row] = next_a.y;
    tile_a[buffer][a_depth + 2][a_row] = next_a.z;
    tile_a[buffer][a_depth + 3][a_row] = next_a.w;
    *reinterpret_cast<float4*>(&tile_b[buffer][b_depth][b_column]) = next_b;
    __syncthreads();
  };
  float sum[kEach][kEach] = {};
  ask(0);
  keep(0);
  int buffer = 0;
  for (wb::i64 start = 0; start < k; start += kDepth) {
    ask(start + kDepth);  // beyond k these are zeros
#pragma unroll
    for (int l = 0; l < kDepth; ++l) {
      alignas(16) float left[kEach], right[kEach];
#pragma unroll
      for (int i = 0; i < kEach; i += 4) {
        *reinterpret_cast<float4*>(&left[i]) =
            *reinterpret_cast<float4*>(&tile_a[buffer][l][y + i * kLaneRows]);
        *reinterpret_cast<float4*>(&right[i]) =
            *reinterpret_cast<float4*>(&tile_b[buffer][l][x + i * kLaneColumns]);
      }
#pragma unroll
      for (int i = 0; i < kEach; ++i)
#pragma unroll
        for (int j = 0; j < kEach; ++j) sum[i][j] += left[i] * right[j];
    }
    buffer = 1 - buffer;
    keep(buffer);
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

WB_CUDA(Sgemm, step7_double_buffered, run);
