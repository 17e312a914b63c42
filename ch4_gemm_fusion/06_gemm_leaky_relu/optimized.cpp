// Against the baseline: the product is ours (../shared/fused_gemm.h). A tile's sums are in
// registers when they are whole, and it takes their leaky ReLU there. C is written once, and never
// read.
//
// Predict: OpenBLAS's product alone takes part of the baseline's time. Is the rest all that you
// gain?
#include "../shared/fused_gemm.h"
#include "gemm_leaky_relu.h"
#include "wb/cpu.h"

namespace {

auto make(const GemmLeakyRelu::Args& p) {
  return wb::with_dtype(p.dtype, [&](auto zero) {
    using T = decltype(zero);
    return fused::gemm(p.m, p.n, p.k, static_cast<const T*>(p.a), static_cast<const T*>(p.b),
                       static_cast<T*>(p.c),
                       [](fused::Vector sums, wb::i64) { return sums > 0 ? sums : sums * 0.01f; });
  });
}

}  // namespace

WB_CPU(GemmLeakyRelu, optimized, make);
