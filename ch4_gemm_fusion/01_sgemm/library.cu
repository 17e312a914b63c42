// The yardstick: cuBLAS, held to fp32. It has dozens of kernels and chooses by the shape.
#include "sgemm.h"
#include "wb/cublas.h"
#include "wb/cuda.h"

namespace {

auto make(const Sgemm::Args& p) {
  const auto handle = wb::make_cublas();
  // Pedantic: no TF32, which keeps 10 bits of 23, whatever the environment asks for.
  WB_CHECK_CUBLAS(cublasSetMathMode(handle.get(), CUBLAS_PEDANTIC_MATH));
  return [p, handle](cudaStream_t stream) {
    const float one = 1, zero = 0;
    const int m = p.m, n = p.n, k = p.k;
    if (p.m * p.n == 0) return;
    // cuBLAS counts down columns: it takes a row-major matrix for its transpose. As C^T = B^T *
    // A^T, B goes before A and n before m.
    WB_CHECK_CUBLAS(cublasSetStream(handle.get(), stream));
    WB_CHECK_CUBLAS(cublasSgemm(handle.get(), CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, p.b, n, p.a,
                                std::max(k, 1), &zero, p.c, n));
  };
}

}  // namespace

WB_CUDA(Sgemm, library, make);
