// Against step 1: all samples go through together, whatever their number. This is the library's own
// call for the job, so the lesson has no library.cu. A single sample stays a matrix times a vector.
//
// Predict: from which batch on does a larger one gain no more? `./workbook peaks` knows the
// arithmetic peak and the memory bandwidth: 2 * batch operations for each weight of 4 bytes.
#include "batch_size.h"
#include "wb/cublas.h"
#include "wb/cuda.h"

namespace {

auto make(const BatchSize::Args& p) {
  return [p, handle = wb::make_cublas()](cudaStream_t stream) {
    WB_CHECK_CUBLAS(cublasSetStream(handle.get(), stream));
    const float one = 1, zero = 0;
    const int m = p.outputs, k = p.inputs, batch = p.batch;
    if (m * p.batch == 0) return;
    if (batch == 1)
      WB_CHECK_CUBLAS(
          cublasSgemv(handle.get(), CUBLAS_OP_T, k, m, &one, p.w, k, p.x, 1, &zero, p.y, 1));
    else
      WB_CHECK_CUBLAS(cublasSgemm(handle.get(), CUBLAS_OP_T, CUBLAS_OP_N, m, batch, k, &one, p.w, k,
                                  p.x, k, &zero, p.y, m));
  };
}

}  // namespace

WB_CUDA(BatchSize, optimized, make);
