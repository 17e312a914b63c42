// The yardstick: cuBLAS computes C = alpha op(A) + beta op(B); with A turned and beta = 0 that is a
// transposition. cuBLAS thinks in columns: our m x n matrix in rows is its n x m matrix in columns.
#include <climits>

#include "transpose.h"
#include "wb/cublas.h"
#include "wb/cuda.h"

namespace {

auto make(const Transpose::Args& p) {
  if (p.m > INT_MAX || p.n > INT_MAX) throw wb::Unsupported("cuBLAS counts with 32 bits here");
  return [p, handle = wb::make_cublas()](cudaStream_t stream) {
    if (p.m == 0 || p.n == 0) return;
    const float one = 1, zero = 0;
    const int m = p.m, n = p.n;
    WB_CHECK_CUBLAS(cublasSetStream(handle.get(), stream));
    WB_CHECK_CUBLAS(cublasSgeam(handle.get(), CUBLAS_OP_T, CUBLAS_OP_N, m, n, &one, p.in, n, &zero,
                                p.out, m, p.out, m));
  };
}

}  // namespace

WB_CUDA(Transpose, library, make);
