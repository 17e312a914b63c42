// Optional reading: the layer for any shape. In 16 bits the product is the one behind all_shapes of
// 03_hopper_pipeline (../../shared/any_shape): small layers get small tiles or have k cut into
// slices, and rows that TMA can't read are no reason to refuse. In fp32 it is the one behind
// all_shapes of 01_sgemm (../../shared/sgemm). In both a sum is whole before the epilogue sees it,
// also where several blocks have a part of k each.
//
// Predict: a batch of 256, 256 to 512, has two tiles of optimized. How many blocks should it have?
#include "../../shared/any_shape/product.cuh"
#include "../../shared/sgemm/gemm.cuh"
#include "../types.cuh"

namespace {

template <class T> struct BiasRelu {
  const T* bias;
  __device__ float operator()(float sum, int column) const {
    return fmaxf(sum + wb::to_float(bias[column]), 0);
  }
};

auto make(const LinearRelu::Args& p) {
  return with_types(p, [&]<class T>(const T* x, const T* w, const T* bias, T* y) {
    const BiasRelu<T> epilogue{bias};
    if constexpr (sizeof(T) == 2)
      return any_shape::gemm(p.m, p.n, p.k, x, w, y, epilogue);
    else
      return sgemm::gemm<true>(p.m, p.n, p.k, x, w, y, epilogue);
  });
}

std::string note(const LinearRelu::Args& p) {
  return std::string_view(p.dtype) == "fp32" ? sgemm::choose(p.m, p.n, p.k, true).text()
                                             : any_shape::note(p.m, p.n, p.k);
}

}  // namespace

WB_CUDA(LinearRelu, all_shapes, make);
WB_NEEDS("8.0 for fp16, 8.0 for bf16");
WB_CASE_NOTE(LinearRelu, note);
