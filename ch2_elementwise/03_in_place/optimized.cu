// Changes against step 2: in place, f(x, out=x). One array instead of three. No later code may need
// the input.
//
// Predict: an array is read and written in each call, as before. For which sizes is it faster all
// the same?
#include "call.cuh"

namespace {

void run(const Overwriting::Args& p, cudaStream_t stream) {
  for (int i = 0; i < p.calls; ++i) call(p.y, p.y, p.count, stream);
}

}  // namespace

WB_CUDA(Overwriting, optimized, run);
WB_PROBLEM(Overwriting);
