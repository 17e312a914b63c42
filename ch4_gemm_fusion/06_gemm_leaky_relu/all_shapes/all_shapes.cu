// Optional reading: the same fusion for any shape, in 16 bits. The product is the one behind
// all_shapes of 03_hopper_pipeline (../../shared/any_shape). With an n that 8 divides it is
// optimized's kernel most of the time, after a copy of A and B where TMA can't read their rows: at
// k = 511 they are 17 MB of the 151 that this lesson moves.
//
// Predict: what does the copy cost, compared with the pass that fusion saves?
#include "../../shared/any_shape/product.cuh"
#include "../types.cuh"

namespace {

struct LeakyRelu {
  __device__ float operator()(float sum, int) const { return leaky_relu(sum); }
};

auto make(const GemmLeakyRelu::Args& p) {
  using Function = std::function<void(cudaStream_t)>;
  if (std::string_view(p.dtype) == "fp32") throw wb::Unsupported("tensor cores: fp16 or bf16");
  return with_types(p, [&]<class T>(const T* a, const T* b, T* c) -> Function {
    if constexpr (sizeof(T) == 2)
      return any_shape::gemm(p.m, p.n, p.k, a, b, c, LeakyRelu());
    else
      return {};
  });
}

}  // namespace

WB_CUDA(GemmLeakyRelu, all_shapes, make);
WB_NEEDS("8.0");
WB_CASE_NOTE(GemmLeakyRelu,
             [](const GemmLeakyRelu::Args& p) { return any_shape::note(p.m, p.n, p.k); });
