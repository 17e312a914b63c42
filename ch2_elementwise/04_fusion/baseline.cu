// Four operations, four kernels, as a library of operations runs them. Each is as good as a kernel
// of its kind can be (16 bytes per load, enough of them in flight), and each reads what it needs
// from memory and writes all of its result back.
//
// Predict: count the arrays that are read and written, here and at the least. What speedup should
// one kernel for all four have?
#include "elementwise.cuh"

namespace {

void run(const Fusion::Args& p, cudaStream_t stream) {
  apply(p, p.x, AddBias{}, stream);
  apply(p, p.y, Gelu{}, stream);
  apply(p, p.y, Scale{}, stream);
  apply(p, p.y, AddResidual{}, stream);
}

}  // namespace

WB_CUDA(Chain, baseline, run);
WB_EXERCISE(Fusion);
