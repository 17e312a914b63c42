// Against the baseline: the same line. The array is in memory that cudaMallocHost has allocated and
// pinned, so the engine reads it directly, and the host is free while it does.
//
// Predict: how close does this come to what the link can do, at 256 MiB and at 64 KiB?
#include "pinned_memory.h"
#include "wb/cuda.h"

namespace {

void run(const Pinned::Args& p, cudaStream_t stream) {
  WB_CHECK(cudaMemcpyAsync(p.device, p.host, p.bytes, cudaMemcpyHostToDevice, stream));
}

}  // namespace

WB_CUDA(Pinned, optimized, run);
WB_PROBLEM(Pinned);
