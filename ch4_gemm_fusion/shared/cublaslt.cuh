// cuBLASLt, the library below cuBLAS: a product with an epilogue, by the algorithm that is fastest
// here. cuBLAS takes the first guess of a heuristic. This times the first eight in set-up, on
// random values, and keeps the winner: the yardstick that is hardest to beat.
// A variant's set-up ends in `return fastest({.m = ..., .epilogue = CUBLASLT_EPILOGUE_RELU_BIAS});`
#pragma once

#include <cublasLt.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

#include "wb/cublas.h"
#include "wb/cuda.h"

inline cudaDataType_t cuda_type(std::string_view dtype) {
  return dtype == "fp32" ? CUDA_R_32F : dtype == "fp16" ? CUDA_R_16F : CUDA_R_16BF;
}

// C = epilogue(A B), row-major: A is m x k, B is k x n, C is m x n; one that is transposed is
// stored the other way round. Sums are fp32.
struct Matmul {
  wb::i64 m, n, k;
  cudaDataType_t type;  // of all arrays
  const void* a;
  bool a_transposed = false;
  const void* b;
  bool b_transposed = false;
  void* c;
  wb::i64 a_stride = 0, b_stride = 0, c_stride = 0;  // elements from row to row; 0: rows are dense
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;  // none; or _RELU, _BIAS, _RELU_BIAS
  const void* bias = nullptr;                               // n elements, one per column
  // _DRELU_BGRAD: C = A B where the bit in `mask` is set, 0 elsewhere; the sums of its columns go
  // to `bias_gradient`. A row of the mask has `mask_bits` bits, a multiple of 128.
  const void* mask = nullptr;
  wb::i64 mask_bits = 0;
  void* bias_gradient = nullptr;
};

// Words of which each half is a number as bf16, and as fp16, and the whole as fp32: near 1 or -1.
static __global__ void fill_randomly(unsigned* x, wb::i64 words) {
  const wb::i64 step = wb::i64{gridDim.x} * blockDim.x;
  for (wb::i64 i = wb::i64{blockIdx.x} * blockDim.x + threadIdx.x; i < words; i += step) {
    const auto z = (static_cast<unsigned long long>(i) + 1) * 0x9E3779B97F4A7C15ull;
    x[i] = 0x3F803F80 | (static_cast<unsigned>(z >> 32 ^ z >> 13) & 0x807F807F);
  }
}

// cuBLASLt reads a row-major matrix as its transpose, so this is C^T = B^T A^T: B comes first.
class CublasLt {
 public:
  explicit CublasLt(const Matmul& p) : p_(p), workspace_(wb::make_device_array<char>(kWorkspace)) {
    WB_CHECK_CUBLAS(cublasLtMatmulDescInit(&operation_, p.compute, CUDA_R_32F));
    set(CUBLASLT_MATMUL_DESC_TRANSA, p.b_transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_TRANSB, p.a_transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, p.epilogue);
    if (p.bias) set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, p.bias);
    if (p.bias_gradient) set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, p.bias_gradient);
    if (p.mask) set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, p.mask);
    if (p.mask) set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, std::int64_t{p.mask_bits});
    choose(layout(a_, p.m, p.k, p.a_transposed, p.a_stride),
           layout(b_, p.k, p.n, p.b_transposed, p.b_stride),
           layout(c_, p.m, p.n, false, p.c_stride));
  }
  void operator()(cudaStream_t stream) const {
    WB_CHECK_CUBLAS(run(algorithm_, p_.a, p_.b, p_.c, stream));
  }

 private:
  using Words = std::shared_ptr<unsigned[]>;
  static constexpr std::size_t kWorkspace = 32 << 20;

  template <class V> void set(cublasLtMatmulDescAttributes_t attribute, const V& value) {
    WB_CHECK_CUBLAS(cublasLtMatmulDescSetAttribute(&operation_, attribute, &value, sizeof value));
  }
  // Returns an array of that size for the trials.
  Words layout(cublasLtMatrixLayoutOpaque_t& out, wb::i64 rows, wb::i64 columns, bool transposed,
               wb::i64 stride) {
    if (transposed) std::swap(rows, columns);
    if (stride == 0) stride = columns;
    WB_CHECK_CUBLAS(cublasLtMatrixLayoutInit(&out, p_.type, columns, rows, stride));
    const wb::i64 words = p_.type == CUDA_R_32F ? rows * stride : (rows * stride + 1) / 2;
    const auto array = wb::make_device_array<unsigned>(words);
    fill_randomly<<<1024, 256>>>(array.get(), words);
    return array;
  }
  cublasLtHandle_t handle() const {  // any cuBLAS handle is one
    return reinterpret_cast<cublasLtHandle_t>(cublas_.get());
  }
  cublasStatus_t run(const cublasLtMatmulAlgo_t& algorithm, const void* a, const void* b, void* c,
                     cudaStream_t stream) const {
    const float one = 1, zero = 0;
    return cublasLtMatmul(handle(), &operation_, &one, b, &b_, a, &a_, &zero, c, &c_, c, &c_,
                          &algorithm, workspace_.get(), kWorkspace, stream);
  }

  void choose(Words a, Words b, Words c) {
    cublasLtMatmulPreferenceOpaque_t preference;
    WB_CHECK_CUBLAS(cublasLtMatmulPreferenceInit(&preference));
    WB_CHECK_CUBLAS(cublasLtMatmulPreferenceSetAttribute(
        &preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &kWorkspace, sizeof kWorkspace));
    const std::uint32_t fp32_parts = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
    WB_CHECK_CUBLAS(cublasLtMatmulPreferenceSetAttribute(  // where k is cut into parts: never round
        &preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &fp32_parts, sizeof fp32_parts));
    cublasLtMatmulHeuristicResult_t found[8];
    int count = 0;  // stays 0 where nothing fits
    cublasLtMatmulAlgoGetHeuristic(handle(), &operation_, &b_, &a_, &c_, &c_, &preference, 8, found,
                                   &count);
    cudaEvent_t begin, end;
    WB_CHECK(cudaEventCreate(&begin));
    WB_CHECK(cudaEventCreate(&end));
    float least = INFINITY;
    for (int round = 0; round < 3; ++round)  // in turn; the first warms up
      for (int i = 0; i < count; ++i) {
        bool fine = true;
        WB_CHECK(cudaEventRecord(begin));
        for (int launch = 0; launch < 10 && fine; ++launch)
          fine = run(found[i].algo, a.get(), b.get(), c.get(), nullptr) == CUBLAS_STATUS_SUCCESS;
        WB_CHECK(cudaEventRecord(end));
        WB_CHECK(cudaEventSynchronize(end));
        float time;
        WB_CHECK(cudaEventElapsedTime(&time, begin, end));
        if (fine && round > 0 && time < least) least = time, algorithm_ = found[i].algo;
      }
    WB_CHECK(cudaEventDestroy(begin));
    WB_CHECK(cudaEventDestroy(end));
    if (std::isinf(least)) throw wb::Unsupported("cuBLASLt has no algorithm for this product");
  }

  Matmul p_;
  wb::CublasHandle cublas_ = wb::make_cublas();
  std::shared_ptr<char[]> workspace_;
  mutable cublasLtMatmulDescOpaque_t operation_;  // mutable: the library knows no const
  mutable cublasLtMatrixLayoutOpaque_t a_, b_, c_;
  cublasLtMatmulAlgo_t algorithm_;
};

// Set-up of a variant. Throws wb::Unsupported where the library can't make this product.
inline std::function<void(cudaStream_t)> fastest(const Matmul& p) {
  if (p.m * p.n == 0) return [](cudaStream_t) {};
  if (p.k == 0) throw wb::Unsupported("cuBLASLt knows no product of no terms");
  return CublasLt(p);
}
