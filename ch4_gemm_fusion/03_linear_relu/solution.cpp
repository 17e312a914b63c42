// The exercise, solved: the epilogue adds and compares vectors. At the last columns it takes those
// biases that there are.
#include <string_view>

#include "../shared/fused_gemm.h"
#include "linear_relu.h"
#include "wb/cpu.h"

namespace {

auto make(const LinearClipped::Args& p) {
  if (std::string_view(p.dtype) != "fp32") throw wb::Unsupported("fp32 alone");
  const auto* bias = static_cast<const float*>(p.bias);
  const auto epilogue = [bias, n = p.n](fused::Vector sums, wb::i64 column) {
    fused::Vector b{};
    if (column + fused::kLanes <= n)
      b = fused::load(bias + column);
    else
      for (wb::i64 j = column; j < n; ++j) b[j - column] = bias[j];
    sums += b;
    sums = sums > 0 ? sums : fused::Vector{};
    return sums < 1 ? sums : fused::Vector{} + 1;
  };
  return fused::gemm(p.m, p.n, p.k, static_cast<const float*>(p.x), static_cast<const float*>(p.w),
                     static_cast<float*>(p.y), epilogue);
}

}  // namespace

WB_CPU(LinearClipped, solution, make);
