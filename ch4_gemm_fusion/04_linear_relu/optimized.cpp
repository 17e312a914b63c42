// Against step 2: the product is ours (../shared/fused_gemm.h: a tile of sums in registers, both
// matrices packed). When a tile's sums are whole, bias and ReLU are one addition and one comparison
// of vectors that are in registers already.
//
// Predict: tiles that stick out of y are computed whole. What does that cost at n = 2048, n = 33?
#include "../shared/fused_gemm.h"
#include "linear_relu.h"
#include "wb/cpu.h"

namespace {

template <class T> std::function<void()> make_layer(const LinearRelu::Args& p) {
  const std::shared_ptr<float[]> wide(new float[fused::padded(p.n)]());  // the bias, as fp32
  const auto epilogue = [wide](fused::Vector sums, wb::i64 column) {
    const fused::Vector v = sums + fused::load(&wide[column]);
    return v > 0 ? v : fused::Vector{};
  };
  const T* bias = static_cast<const T*>(p.bias);
  const auto multiply = fused::gemm(p.m, p.n, p.k, static_cast<const T*>(p.x),
                                    static_cast<const T*>(p.w), static_cast<T*>(p.y), epilogue);
  return [=, n = p.n] {
    std::copy(bias, bias + n, wide.get());
    multiply();
  };
}

auto make(const LinearRelu::Args& p) {
  return wb::with_dtype(p.dtype, [&](auto zero) { return make_layer<decltype(zero)>(p); });
}

}  // namespace

WB_CPU(LinearRelu, optimized, make);
