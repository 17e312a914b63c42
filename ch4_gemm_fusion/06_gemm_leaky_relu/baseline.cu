// As a framework does it: a product by the library, then a pass over C. The library has ReLU as an
// epilogue, and a few more, but no leaky one.
//
// Predict: at 8192 x 8192 in bf16 the pass reads and writes 134 MB. How long is that at your
// bandwidth, and how long does the product take with k = 512, at your bf16 peak?
#include "../shared/cublaslt.cuh"
#include "types.cuh"

namespace {

auto make(const GemmLeakyRelu::Args& p) {
  const auto multiply = fastest({.m = p.m,
                                 .n = p.n,
                                 .k = p.k,
                                 .type = cuda_type(p.dtype),
                                 .a = p.a,
                                 .b = p.b,
                                 .b_transposed = true,
                                 .c = p.c});
  return [=](cudaStream_t stream) {
    multiply(stream);
    with_types(p, [&](auto, auto, auto c) { leaky_relu_pass(c, p.m * p.n, stream); });
  };
}

}  // namespace

WB_CUDA(GemmLeakyRelu, baseline, make);
