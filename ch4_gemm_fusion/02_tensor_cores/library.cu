// The yardstick: cuBLASLt with the fastest of the algorithms that its heuristic names. B is stored
// as n x k, so it counts as transposed.
#include "../shared/cublaslt.cuh"
#include "../shared/product16.cuh"
#include "tensor_cores.h"

namespace {

auto make(const TensorCores::Args& p) {
  return fastest({.m = p.m,
                  .n = p.n,
                  .k = p.k,
                  .type = std::string_view(p.dtype) == "fp16" ? CUDA_R_16F : CUDA_R_16BF,
                  .a = p.a,
                  .b = p.b,
                  .b_transposed = true,
                  .c = p.c});
}

}  // namespace

WB_CUDA(TensorCores, library, make);
