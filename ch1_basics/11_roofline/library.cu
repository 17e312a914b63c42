// The yardstick: cuBLAS. It computes in fp32; TF32 would have to be asked for.
#include "roofline.h"
#include "wb/cublas.h"
#include "wb/cuda.h"

namespace {

auto make(const Roofline::Args& p) {
  if (p.op == Op::stencil) throw wb::Unsupported("cuBLAS has no stencil");
  return [p, handle = wb::make_cublas()](cudaStream_t stream) {
    if (p.m * p.n == 0 && p.op != Op::gemv) return;
    cublasHandle_t h = handle.get();
    WB_CHECK_CUBLAS(cublasSetStream(h, stream));
    const float one = 1, zero = 0;
    const int m = p.m, n = p.n, k = p.k;
    // cuBLAS stores matrices by columns: it sees a row-major m x n matrix as its transpose, n x m.
    if (p.op == Op::add) {  // as matrices, as wide as n divides
      int width = 1;
      while (width < 8192 && n > 0 && n % (2 * width) == 0) width *= 2;
      WB_CHECK_CUBLAS(cublasSgeam(h, CUBLAS_OP_N, CUBLAS_OP_N, width, n / width, &one, p.a, width,
                                  &one, p.b, width, p.c, width));
    } else if (p.op == Op::matmul) {
      WB_CHECK_CUBLAS(
          cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, p.b, n, p.a, k, &zero, p.c, n));
    } else if (n > 0) {
      WB_CHECK_CUBLAS(cublasSgemv(h, CUBLAS_OP_T, n, m, &one, p.a, n, p.b, 1, &zero, p.c, 1));
    } else {
      WB_CHECK(cudaMemsetAsync(p.c, 0, m * sizeof(float), stream));
    }
  };
}

}  // namespace

WB_CUDA(Roofline, library, make);
