// Optional reading: the layer for any shape, in 16 bits. The product is that of 02's all_shapes
// (../../shared/any_shape): small layers get small tiles or have k cut into slices, and rows that
// TMA can't read are no reason to refuse. A sum is whole before the epilogue sees it, also where
// the blocks of a cluster have a part each.
//
// Predict: a batch of 256, 256 to 512, has two tiles of optimized. How many blocks should it have?
#include "../../shared/any_shape/product.cuh"
#include "../types.cuh"

namespace {

template <class T> struct BiasRelu {
  const T* bias;
  __device__ float operator()(float sum, int column) const {
    return fmaxf(sum + wb::to_float(bias[column]), 0);
  }
};

auto make(const LinearRelu::Args& p) {
  using Function = std::function<void(cudaStream_t)>;
  if (std::string_view(p.dtype) == "fp32") throw wb::Unsupported("tensor cores: fp16 or bf16");
  return with_types(p, [&]<class T>(const T* x, const T* w, const T* bias, T* y) -> Function {
    if constexpr (sizeof(T) == 2)
      return any_shape::gemm(p.m, p.n, p.k, x, w, y, BiasRelu<T>{bias});
    else
      return {};
  });
}

}  // namespace

WB_CUDA(LinearRelu, all_shapes, make);
WB_NEEDS("8.0");
WB_CASE_NOTE(LinearRelu, [](const LinearRelu::Args& p) { return any_shape::note(p.m, p.n, p.k); });
