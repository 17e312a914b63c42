// C = leaky_relu(A B^T) in 16 bits where there is no wgmma: chapter 4's kernel by mma.sync with its
// constants as macros. WARP_ROWS: a warp makes so many rows of a tile, and 64 columns.
#pragma once

#include "../../ch4_gemm_fusion/shared/epilogue.cuh"
#include "../../ch4_gemm_fusion/shared/fused_mma.cuh"

using Tile = fused::MmaShape<BM, BN, BK, STAGES, BLOCKS, WARP_ROWS>;

// Which tile is number `index`: down a group of `group` tiles, then the next column of tiles.
struct Place {
  int group;
  __device__ int2 operator()(int index, int down, int across) const {
    const int first = index / (group * across) * group, height = min(group, down - first);
    const int in_group = index % (group * across);
    return {first + in_group % height, in_group / height};
  }
};

struct LeakyRelu {
  __device__ float2 operator()(float2 sums, int) const {
    return {fmaxf(sums.x, 0.01f * sums.x), fmaxf(sums.y, 0.01f * sums.y)};
  }
};

// UNIT: so many numbers of A and B are copied at once (fused_mma.cuh).
#define GEMM(NAME, T, UNIT)                                                                \
  extern "C" __global__ void __launch_bounds__(Tile::kThreads, BLOCKS)                     \
      NAME(int m, int n, int k, int group, const T* a, const T* b, T* c) {                 \
    fused::multiply_mma<Tile, false, UNIT>(m, n, k, a, b, c, fused::ByColumn<LeakyRelu>{}, \
                                           Place{group});                                  \
  }

GEMM(gemm_fp16_8, __half, 8)
GEMM(gemm_fp16_2, __half, 2)
GEMM(gemm_fp16_1, __half, 1)
GEMM(gemm_bf16_8, __nv_bfloat16, 8)
GEMM(gemm_bf16_2, __nv_bfloat16, 2)
GEMM(gemm_bf16_1, __nv_bfloat16, 1)
