// Samples are handled one at a time, as they arrive: a matrix times a vector for each. A library
// call that is hard to beat, and each reads all the weights again: 64 MiB at the sizes measured
// here, more than the L2 of an H200.
//
// Predict: 32 samples take how many times as long as one? Which share of the arithmetic peak is
// reached?
#include "batch_size.h"
#include "wb/cublas.h"
#include "wb/cuda.h"

namespace {

auto make(const BatchSize::Args& p) {
  return [p, handle = wb::make_cublas()](cudaStream_t stream) {
    WB_CHECK_CUBLAS(cublasSetStream(handle.get(), stream));
    if (p.outputs == 0) return;
    const float one = 1, zero = 0;
    const int m = p.outputs, k = p.inputs;
    // cuBLAS stores matrices by columns: it sees the row-major weights as their transpose, k x m.
    for (wb::i64 i = 0; i < p.batch; ++i)
      WB_CHECK_CUBLAS(cublasSgemv(handle.get(), CUBLAS_OP_T, k, m, &one, p.w, k, p.x + i * p.inputs,
                                  1, &zero, p.y + i * p.outputs, 1));
  };
}

}  // namespace

WB_CUDA(BatchSize, baseline, make);
