// Each request allocates what it needs and frees it when done, as any function does with its local
// arrays. make_device_array() is cudaMalloc, and cudaFree when the last owner goes.
//
// Predict: cudaFree may not take memory away that a kernel still uses, so it waits for the device.
// What does the device do between two requests, and what does the host do during one?
#include "request.cuh"

namespace {

void run(const Preallocation::Args& p, cudaStream_t stream) {
  for (wb::i64 r = 0; r < p.requests; ++r) {
    const auto blurred = wb::make_device_array<float>(p.samples);
    const auto smooth = wb::make_device_array<float>(p.samples);
    process(p.signal(r), p.answer(r), p.samples, blurred.get(), smooth.get(), stream);
  }
}

}  // namespace

WB_CUDA(Preallocation, baseline, run);
