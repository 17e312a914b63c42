// Against the baseline: the pages are pinned for the copy, and unpinned afterwards. Now the engine
// reads the array itself. But the system has to find and lock every page, and to give its address
// to the GPU.
//
// Predict: is it worth it for a single copy? Does the size of the array change the answer?
#include "pinned_memory.h"
#include "registration.cuh"

namespace {

void run(const PinnedMemory::Args& p, cudaStream_t stream) {
  const Registration registration(p.host, p.bytes);
  WB_CHECK(cudaMemcpyAsync(p.device, p.host, p.bytes, cudaMemcpyHostToDevice, stream));
  WB_CHECK(cudaStreamSynchronize(stream));  // the pages must stay until the copy has ended
}

}  // namespace

WB_CUDA(PinnedMemory, step1_register_each_time, run);
