// The exercise, solved: the epilogue adds and compares vectors. After the last column
// it takes zeros as biases: a copy of the biases ends with them.
#include <string_view>

#include "../shared/fused_gemm.h"
#include "linear_relu.h"
#include "wb/cpu.h"

namespace {

auto make(const LinearClipped::Args& p) {
  if (std::string_view(p.dtype) != "fp32") throw wb::Unsupported("fp32 alone");
  const std::shared_ptr<float[]> wide(new float[fused::padded(p.n)]());
  const auto epilogue = [wide](fused::Vector sums, wb::i64 column) {
    const fused::Vector v = sums + fused::load(&wide[column]), one = fused::Vector{} + 1;
    const fused::Vector positive = v > 0 ? v : fused::Vector{};
    return positive < one ? positive : one;
  };
  const auto multiply =
      fused::gemm(p.m, p.n, p.k, static_cast<const float*>(p.x), static_cast<const float*>(p.w),
                  static_cast<float*>(p.y), epilogue);
  return [=, bias = static_cast<const float*>(p.bias), n = p.n] {
    std::copy(bias, bias + n, wide.get());
    multiply();
  };
}

}  // namespace

WB_CPU(LinearClipped, solution, make);
