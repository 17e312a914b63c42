// A layer with a clipped ReLU, y = min(relu(x W^T + b), 1) (LinearClipped). The product is our own
// (../shared/fused_gemm.h), but its epilogue does nothing: a loop after it adds the bias, another
// one clips. Each reads all of y from memory and writes it back. With few inputs and many outputs
// that is a large part of the time.
//
// TODO: let the epilogue do both. It gets fused::kLanes sums of one row, from `column` on, while
//       they are in a register; columns from n on are not stored, and have no bias.
// Goal: 0.8 times optimized at m=2048,n=4096,k=16,dtype=fp32
// Hints are in README.md.
#include <string_view>

#include "../shared/fused_gemm.h"
#include "linear_relu.h"
#include "wb/cpu.h"

namespace {

auto make(const LinearClipped::Args& p) {
  if (std::string_view(p.dtype) != "fp32") throw wb::Unsupported("fp32 alone");
  const auto *x = static_cast<const float*>(p.x), *w = static_cast<const float*>(p.w);
  const auto* bias = static_cast<const float*>(p.bias);
  auto* y = static_cast<float*>(p.y);
  const auto epilogue = [](fused::Vector sums, [[maybe_unused]] wb::i64 column) { return sums; };
  return [=, multiply = fused::gemm(p.m, p.n, p.k, x, w, y, epilogue)] {
    multiply();
#pragma omp parallel for
    for (wb::i64 row = 0; row < p.m; ++row)
      for (wb::i64 j = 0; j < p.n; ++j) y[row * p.n + j] += bias[j];
#pragma omp parallel for
    for (wb::i64 i = 0; i < p.m * p.n; ++i) y[i] = std::clamp(y[i], 0.0f, 1.0f);
  };
}

}  // namespace

WB_CPU(LinearClipped, exercise, make);
