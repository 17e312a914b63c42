// One library call per matrix: a plain loop over layers, heads or particles does that. Each call is
// a separate kernel, far too small to fill the GPU.
//
// Predict: 40 launches at a few microseconds each, for half a microsecond of work. Which of the
// three shapes suffers most?
#include "batched_gemm.h"
#include "wb/cublas.h"
#include "wb/cuda.h"

namespace {

auto make(const BatchedGemm::Args& p) {
  return [p, handle = wb::make_cublas()](cudaStream_t stream) {
    WB_CHECK_CUBLAS(cublasSetStream(handle.get(), stream));
    const float one = 1, zero = 0;
    const int m = p.m, n = p.n, k = p.k;
    // cuBLAS stores matrices by columns: it sees a row-major m x n matrix as its transpose, n x m.
    // As C^T = B^T * A^T, passing B before A, and n before m, gives row-major C with nothing moved.
    // The handle's default math mode keeps fp32: TF32 has to be asked for.
    for (wb::i64 b = 0; b < p.batch; ++b)
      WB_CHECK_CUBLAS(cublasSgemm(handle.get(), CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one,
                                  p.b + b * p.k * p.n, n, p.a + b * p.m * p.k, k, &zero,
                                  p.c + b * p.m * p.n, n));
  };
}

}  // namespace

WB_CUDA(BatchedGemm, baseline, make);
