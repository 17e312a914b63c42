// Changes against step 1: the caller says where the result goes: f(x, out=y). There is one array in
// addition to y, made beforehand, and calls write to the two in turn.
//
// Predict: does a kernel have to do more than in step 1, or less?
#include "call.cuh"

namespace {

auto make(const InPlace::Args& p) {
  return [p, other = wb::make_device_array<float>(p.count)](cudaStream_t stream) {
    const float* from = p.x;
    for (int left = p.calls; left > 0; --left) {
      float* to = left % 2 == 1 ? p.y : other.get();  // the last one is y
      call(from, to, p.count, stream);
      from = to;
    }
  };
}

}  // namespace

WB_CUDA(InPlace, step2_out, make);
