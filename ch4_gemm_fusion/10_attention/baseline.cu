// As the formula says, in three kernels: scores = Q K^T by cuBLAS, the softmax of their rows, and
// weights V by cuBLAS. Scores are fp32 in memory, weights have the case's dtype. The mask costs
// nothing and saves nothing: cuBLAS multiplies the other half, too.
//
// Predict: at 4096 tokens, width 128, bf16: of each score, how many bytes go to memory and back,
// and how long does that take for 64 heads? And how long do both products?
#include "types.cuh"
#include "wb/cublas.h"

namespace {

constexpr int kThreads = 256;

// The largest value or the sum of all of the block's threads.
template <class F> __device__ float reduce(float x, F f) {
  __shared__ float of_warp[kThreads / 32];
  for (int step = 16; step > 0; step /= 2) x = f(x, __shfl_xor_sync(~0u, x, step));
  __syncthreads();  // what was there before has been read
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = x;
  __syncthreads();
  x = of_warp[threadIdx.x % (kThreads / 32)];
  for (int step = kThreads / 64; step > 0; step /= 2) x = f(x, __shfl_xor_sync(~0u, x, step));
  return x;
}

// One block per row. The first pass reads it from memory, the other two from the caches.
template <class T>
__global__ void softmax(int queries, int length, int stride, bool causal, float scale,
                        const float* scores, T* weights) {
  const int keys = causal ? length - queries + blockIdx.x % queries + 1 : length;
  scores += wb::i64{blockIdx.x} * stride, weights += wb::i64{blockIdx.x} * stride;
  float max = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < keys; i += kThreads) max = fmaxf(max, scores[i]);
  max = reduce(max, [](float a, float b) { return fmaxf(a, b); }) * scale;
  for (int i = threadIdx.x; i < keys; i += kThreads) sum += exp2_fast(scores[i] * scale - max);
  sum = 1 / reduce(sum, [](float a, float b) { return a + b; });
  for (int i = threadIdx.x; i < length; i += kThreads)
    weights[i] = wb::from_float<T>(i < keys ? exp2_fast(scores[i] * scale - max) * sum : 0);
}

template <class T> constexpr cudaDataType kType = CUDA_R_32F;
template <> constexpr cudaDataType kType<__half> = CUDA_R_16F;
template <> constexpr cudaDataType kType<__nv_bfloat16> = CUDA_R_16BF;

auto make(const Attention::Args& p) {
  return with_types(
      p,
      [&]<class T>(const T* q, const T* k, const T* v,
                   T* out) -> std::function<void(cudaStream_t)> {
        // To cuBLAS, heads that share keys are one with more queries.
        const wb::i64 heads = p.batch * p.kv_heads, length = p.length, width = p.width;
        const wb::i64 queries = heads ? p.batch * p.heads / heads * p.queries : 0;
        if (heads * queries * width == 0) return [](cudaStream_t) {};
        const wb::i64 stride = (length + 7) / 8 * 8;  // of rows that begin at multiples of 16 bytes
        const auto scores = wb::make_device_array<float>(heads * queries * stride);
        const auto weights = wb::make_device_array<T>(heads * queries * stride);
        const auto handle = wb::make_cublas();
        // cuBLAS counts in columns: what it takes for (rows, columns) is (columns, rows) here.
        const auto multiply = [=](cublasOperation_t op, wb::i64 m, wb::i64 k, const void* a,
                                  wb::i64 stride_a, const void* b, wb::i64 stride_b, void* c,
                                  cudaDataType type_c, wb::i64 stride_c) {
          const float one = 1, zero = 0;
          WB_CHECK_CUBLAS(cublasGemmStridedBatchedEx(
              handle.get(), op, CUBLAS_OP_N, m, queries, k, &one, a, kType<T>, stride_a,
              length * stride_a, b, kType<T>, stride_b, queries * stride_b, &zero, c, type_c,
              stride_c, queries * stride_c, heads, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
        };
        return [=, of_head = p.queries, causal = p.causal, scale = scale(p)](cudaStream_t stream) {
          WB_CHECK_CUBLAS(cublasSetStream(handle.get(), stream));
          multiply(CUBLAS_OP_T, length, width, k, width, q, width, scores.get(), CUDA_R_32F,
                   stride);
          softmax<<<heads * queries, kThreads, 0, stream>>>(of_head, length, stride, causal, scale,
                                                            scores.get(), weights.get());
          WB_CHECK(cudaGetLastError());
          multiply(CUBLAS_OP_N, width, length, v, width, weights.get(), stride, out, kType<T>,
                   width);
        };
      });
}

}  // namespace

WB_CUDA(Attention, baseline, make);
WB_EXERCISE(TrainedAttention);
