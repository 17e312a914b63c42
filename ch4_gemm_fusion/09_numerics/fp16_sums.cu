// Against fp16.cu: the sums are fp16, too, 11 bits, as is C until a kernel widens it. Tensor cores
// take half as many registers for them. The bound allows each addition a whole unit in the last
// place, in whatever order the library adds.
//
// Predict: a term is 0.66 in the middle. Above which sum is half a unit in the last place more than
// that, and above which more than 16 terms together?
#include "library.cuh"

namespace {

__global__ void widen(const __half* x, i64 count, float* y) {
  const i64 i = i64{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) y[i] = __half2float(x[i]);
}

auto make(const Numerics::Args& p) {
  return [=, cublas = wb::make_cublas(), a = Rounded<__half>(p.m * p.k),
          b = Rounded<__half>(p.n * p.k), c = Rounded<__half>(p.m * p.n)](cudaStream_t stream) {
    if (p.m * p.n == 0) return;
    a.make(p.a, p.m * p.k, stream);
    b.make(p.b, p.n * p.k, stream);
    WB_CHECK(cudaMemsetAsync(c.data.get(), 0, p.m * p.n * sizeof(__half), stream));
    const __half one = 1.0f, zero = 0.0f;
    WB_CHECK_CUBLAS(cublasSetStream(cublas.get(), stream));
    if (p.k > 0)
      WB_CHECK_CUBLAS(cublasGemmEx(cublas.get(), CUBLAS_OP_T, CUBLAS_OP_N, p.n, p.m, p.k, &one,
                                   b.data.get(), CUDA_R_16F, p.k, a.data.get(), CUDA_R_16F, p.k,
                                   &zero, c.data.get(), CUDA_R_16F, p.n, CUBLAS_COMPUTE_16F,
                                   CUBLAS_GEMM_DEFAULT));
    widen<<<(p.m * p.n + 255) / 256, 256, 0, stream>>>(c.data.get(), p.m * p.n, p.c);
    WB_CHECK(cudaGetLastError());
  };
}

double bound(const Numerics::Args& p) {
  constexpr double kLost = wb::kRounding<wb::half>;
  return p.bound(2 * kLost + kLost * kLost, additions(2 * kLost, p.k + 1.0));
}

}  // namespace

WB_CUDA(Numerics, fp16_sums, make);
WB_BOUND(Numerics, bound);
