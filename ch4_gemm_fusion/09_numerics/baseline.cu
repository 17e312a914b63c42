// fp32 on fp32 cores: the library's product as it is by default. A multiply-add is
// rounded once, to nearest: off by half a unit in the last place, up or down.
//
// Predict: k = 4096. The bound is k u: how much is that? Roundings of either sign mostly cancel:
// how much is sqrt(k) u?
#include "library.cuh"

namespace {

auto make(const Numerics::Args& p) {
  return [=, cublas = wb::make_cublas()](cudaStream_t stream) {
    multiply(cublas, p, p.k, p.a, p.b, CUDA_R_32F, CUBLAS_COMPUTE_32F, stream);
  };
}

double bound(const Numerics::Args& p) { return p.bound(0, additions(kUnit, p.k)); }

}  // namespace

WB_CUDA(Numerics, baseline, make);
WB_BOUND(Numerics, bound);
