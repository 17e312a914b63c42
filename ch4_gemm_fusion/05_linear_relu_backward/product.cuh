// dz = dy W by cuBLASLt's fastest algorithm, without mask and sums.
#pragma once

#include "../shared/cublaslt.cuh"
#include "types.cuh"

inline Matmul product_of(const LinearReluBackward::Args& p) {
  return {.m = p.m, .n = p.n, .k = p.k, .type = cuda_type(p.dtype), .a = p.dy, .b = p.w, .c = p.dz};
}
