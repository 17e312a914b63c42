// Against the baseline: one call for the whole batch. cublasSgemmBatched takes three arrays of
// pointers in device memory, so the matrices may be anywhere. The arrays are made in set-up; a
// program whose matrices move has to upload them again each time.
//
// Predict: is it still the launch that decides? What does a block do before it can load a matrix?
#include <vector>

#include "batched_gemm.h"
#include "wb/cublas.h"
#include "wb/cuda.h"

namespace {

auto make(const BatchedGemm::Args& p) {
  std::vector<const float*> pointers(3 * p.batch);  // all of A, all of B, all of C
  for (wb::i64 b = 0; b < p.batch; ++b) {
    pointers[b] = p.a + b * p.m * p.k;
    pointers[p.batch + b] = p.b + b * p.k * p.n;
    pointers[2 * p.batch + b] = p.c + b * p.m * p.n;
  }
  auto on_device = wb::make_device_array<float*>(3 * p.batch);
  WB_CHECK(cudaMemcpy(on_device.get(), pointers.data(), pointers.size() * sizeof(float*),
                      cudaMemcpyHostToDevice));

  return [p, on_device, handle = wb::make_cublas()](cudaStream_t stream) {
    WB_CHECK_CUBLAS(cublasSetStream(handle.get(), stream));
    const float one = 1, zero = 0;
    const int m = p.m, n = p.n, k = p.k, batch = p.batch;
    float** a = on_device.get();
    float** b = a + batch;
    float** c = b + batch;
    if (batch == 0) return;
    // B before A: see baseline.cu.
    WB_CHECK_CUBLAS(cublasSgemmBatched(handle.get(), CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b, n,
                                       a, k, &zero, c, n, batch));
  };
}

}  // namespace

WB_CUDA(BatchedGemm, step1_pointer_array, make);
