// There is a launch per step, 200 of them on one stream, as in any loop over layers or time steps.
// The stream keeps them in order, so they need no other synchronization.
//
// Predict: the host needs some microseconds for a launch, the device about one for a step. Who
// waits for whom, and how busy is the device?
#include "steps.cuh"

namespace {

auto make(const CudaGraphs::Args& p) {
  return [p, scratch = wb::make_device_array<float>(p.points)](cudaStream_t stream) {
    launch_steps(p, scratch.get(), stream);
  };
}

}  // namespace

WB_CUDA(CudaGraphs, baseline, make);
WB_EXERCISE(Arriving);
