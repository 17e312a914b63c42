// What the search compiles, by NVRTC, with a value for each macro.
#include "kernel.cuh"

constexpr tiles::Shape kShape = {BM, BN, BK, STAGES, CONSUMERS, BLOCKS, BOXES};

#define GEMM(NAME, T)                                                                           \
  extern "C" __global__ void __launch_bounds__(kShape.threads(), BLOCKS) NAME(                  \
      int m, int n, int k, int group, const __grid_constant__ CUtensorMap a,                    \
      const __grid_constant__ CUtensorMap b, const __grid_constant__ CUtensorMap c_map, T* c) { \
    tiles::gemm<T, kShape>(m, n, k, group, a, b, c_map, c);                                     \
  }

GEMM(gemm_fp16, __half)
GEMM(gemm_bf16, __nv_bfloat16)
