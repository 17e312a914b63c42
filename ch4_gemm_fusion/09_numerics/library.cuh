// Shared by the variants that multiply with cuBLAS: operands rounded to another type, and the
// product, in the library's own order of additions.
#pragma once

#include "numerics.h"
#include "wb/cublas.h"
#include "wb/cuda.h"
#include "wb/half.cuh"

namespace {

using wb::i64;

template <class T> __global__ void round_matrix(const float* x, i64 count, T* y) {
  struct alignas(4 * sizeof(T)) Pack {
    T value[4];
  };
  const i64 i = 4 * (i64{blockIdx.x} * blockDim.x + threadIdx.x);
  if (i + 4 <= count) {
    const float4 v = *reinterpret_cast<const float4*>(x + i);
    *reinterpret_cast<Pack*>(y + i) = {wb::from_float<T>(v.x), wb::from_float<T>(v.y),
                                       wb::from_float<T>(v.z), wb::from_float<T>(v.w)};
  } else {
    for (i64 j = i; j < count; ++j) y[j] = wb::from_float<T>(x[j]);
  }
}
// A matrix in T, which is made by each call.
template <class T> struct Rounded {
  explicit Rounded(i64 count) : data(wb::make_device_array<T>(count + 1)) {}
  void make(const float* x, i64 count, cudaStream_t stream) const {
    if (count == 0) return;
    round_matrix<<<(count + 1023) / 1024, 256, 0, stream>>>(x, count, data.get());
    WB_CHECK(cudaGetLastError());
  }
  std::shared_ptr<T[]> data;
};

// C = A B^T with k terms; cuBLAS reads a row-major matrix as its transpose, so B comes first.
inline void multiply(const wb::CublasHandle& cublas, const Numerics::Args& p, i64 k, const void* a,
                     const void* b, cudaDataType_t type, cublasComputeType_t compute,
                     cudaStream_t stream) {
  if (p.m * p.n == 0) return;
  if (k == 0) {
    WB_CHECK(cudaMemsetAsync(p.c, 0, p.m * p.n * sizeof(float), stream));
    return;
  }
  const float one = 1, zero = 0;
  WB_CHECK_CUBLAS(cublasSetStream(cublas.get(), stream));
  WB_CHECK_CUBLAS(cublasGemmEx(cublas.get(), CUBLAS_OP_T, CUBLAS_OP_N, p.n, p.m, k, &one, b, type,
                               k, a, type, k, &zero, p.c, CUDA_R_32F, p.n, compute,
                               CUBLAS_GEMM_DEFAULT));
}

// Operands in T, sums in fp32.
template <class T> auto make_rounded(const Numerics::Args& p) {
  const auto type = std::is_same_v<T, __half> ? CUDA_R_16F : CUDA_R_16BF;
  return [=, cublas = wb::make_cublas(), a = Rounded<T>(p.m * p.k),
          b = Rounded<T>(p.n * p.k)](cudaStream_t stream) {
    a.make(p.a, p.m * p.k, stream);
    b.make(p.b, p.n * p.k, stream);
    multiply(cublas, p, p.k, a.data.get(), b.data.get(), type, CUBLAS_COMPUTE_32F, stream);
  };
}

}  // namespace
