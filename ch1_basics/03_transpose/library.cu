// The yardstick: cuBLAS computes C = alpha op(A) + beta op(B); with A transposed and beta = 0 that
// is a transposition. cuBLAS stores matrices by columns: our m x n matrix in rows is its n x m
// matrix in columns.
#include <climits>

#include "transpose.h"
#include "wb/cublas.h"
#include "wb/cuda.h"

namespace {

auto make(const Transpose::Args& p) {
  if (p.rows > INT_MAX || p.columns > INT_MAX)
    throw wb::Unsupported("cuBLAS counts with 32 bits here");
  return [p, handle = wb::make_cublas()](cudaStream_t stream) {
    if (p.rows == 0 || p.columns == 0) return;
    const float one = 1, zero = 0;
    const int m = p.rows, n = p.columns;
    WB_CHECK_CUBLAS(cublasSetStream(handle.get(), stream));
    WB_CHECK_CUBLAS(cublasSgeam(handle.get(), CUBLAS_OP_T, CUBLAS_OP_N, m, n, &one, p.in, n, &zero,
                                p.out, m, p.out, m));
  };
}

}  // namespace

WB_CUDA(Transpose, library, make);
