// Against step 2: the product is ours. A block holds 128 x 256 sums in registers when it is done
// with k. Before it rounds and stores them, it adds the bias of each column and takes the maximum
// with 0: an addition and a comparison per 2 k operations. ../shared/fused_gemm.cuh has that
// kernel, with a place for such an epilogue.
//
// Predict: on a Hopper a thread has 128 sums in 64 columns, so it reads 64 biases per tile. Does
// that show?
#include "../shared/fused_gemm.cuh"
#include "types.cuh"

namespace {

template <class T> struct BiasRelu {
  const T* bias;
  int n;
  __device__ float2 operator()(float2 sums, int column) const {
    if (column < n) sums.x = fmaxf(sums.x + wb::to_float(bias[column]), 0);
    if (column + 1 < n) sums.y = fmaxf(sums.y + wb::to_float(bias[column + 1]), 0);
    return sums;
  }
};

auto make(const LinearRelu::Args& p) {
  using Function = std::function<void(cudaStream_t)>;
  if (std::string_view(p.dtype) == "fp32") throw wb::Unsupported("tensor cores: fp16 or bf16");
  return with_types(p, [&]<class T>(const T* x, const T* w, const T* bias, T* y) -> Function {
    if constexpr (sizeof(T) == 2)
      return fused::gemm(p.m, p.n, p.k, x, w, y, BiasRelu<T>{bias, static_cast<int>(p.n)});
    else
      return {};
  });
}

}  // namespace

WB_CUDA(LinearRelu, optimized, make);
WB_NEEDS("8.0");
