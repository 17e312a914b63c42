// Against the baseline: one kernel, our own. The last one of 03_hopper_pipeline holds the sums of a
// tile in registers when it is done with k, and takes the leaky ReLU of them there
// (../shared/fused_gemm.cuh). C is written once, and never read.
//
// Predict: at k = 512 the product alone would take as long as before. What is the most that this
// can gain over the baseline? And at k = 8192?
#include "../shared/fused_gemm.cuh"
#include "types.cuh"

namespace {

template <class T> struct LeakyRelu {
  __device__ float2 operator()(float2 sums, int) const {
    return {leaky_relu(sums.x), leaky_relu(sums.y)};
  }
};

auto make(const GemmLeakyRelu::Args& p) {
  using Function = std::function<void(cudaStream_t)>;
  if (std::string_view(p.dtype) == "fp32") throw wb::Unsupported("tensor cores: fp16 or bf16");
  return with_types(p, [&]<class T>(const T* a, const T* b, T* c) -> Function {
    if constexpr (sizeof(T) == 2)
      return fused::gemm(p.m, p.n, p.k, a, b, c, LeakyRelu<T>());
    else
      return {};
  });
}

}  // namespace

WB_CUDA(GemmLeakyRelu, optimized, make);
WB_NEEDS("8.0");
