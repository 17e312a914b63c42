// Against step 1: the array is registered once, in set-up, for all copies to come. This is for
// memory that another part of the program has allocated: a file mapping, a library's buffer, a big
// vector.
//
// Predict: does it matter for the copy who allocated the memory?
#include "pinned_memory.h"
#include "registration.cuh"

namespace {

auto make(const Registered::Args& p) {
  return [p, registration = Registration(p.host, p.bytes)](cudaStream_t stream) {
    WB_CHECK(cudaMemcpyAsync(p.device, p.host, p.bytes, cudaMemcpyHostToDevice, stream));
  };
}

}  // namespace

WB_CUDA(Registered, step2_registered, make);
WB_PROBLEM(Registered);
