// Against step 1: operands of bf16, 8 bits, rounded to nearest by a kernel of ours before the
// product (a network would have them in memory). Sums are fp32 as before.
//
// Predict: three bits fewer than tf32: eight times its error? And with 16 times as many terms?
#include "library.cuh"

namespace {

constexpr double kLost = wb::kRounding<wb::bfloat16>;

double bound(const Numerics::Args& p) {
  return p.bound(2 * kLost + kLost * kLost, additions(2 * kUnit, p.k));
}

}  // namespace

WB_CUDA(Numerics, step2_bf16, make_rounded<__nv_bfloat16>);
WB_BOUND(Numerics, bound);
