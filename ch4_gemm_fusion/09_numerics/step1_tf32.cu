// Against baseline: one word, "may use tf32". Matrices stay fp32 in memory; tensor cores read 11
// bits of each number's significand, multiply those exactly, and add in fp32. Bits that do not fit
// are cut off, not rounded (so each addition may cost a whole unit in the last place, twice as
// much).
//
// Predict: all numbers are positive, and cutting off makes each smaller. Do these errors cancel
// with many terms?
#include "library.cuh"

namespace {

auto make(const Numerics::Args& p) {
  return [=, cublas = wb::make_cublas()](cudaStream_t stream) {
    multiply(cublas, p, p.k, p.a, p.b, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, stream);
  };
}

// Each operand may lose a unit in its last place; where the library rounds them, half of that.
double bound(const Numerics::Args& p) {
  return p.bound(2 * kTf32 + kTf32 * kTf32, additions(2 * kUnit, p.k));
}

}  // namespace

WB_CUDA(Numerics, step1_tf32, make);
WB_BOUND(Numerics, bound);
