// A copy from ordinary, pageable memory, as new, malloc() and std::vector give it. The copy engine
// needs pages that stay where they are, and these may be moved or swapped out at any time. So the
// driver copies piece by piece into one of its pinned buffers, and lets the engine copy from there.
//
// Predict: "Async" is in the name. When does the call return?
#include "pieces.h"
#include "pinned_memory.h"
#include "wb/cuda.h"

namespace {

void run(const PinnedMemory::Args& p, cudaStream_t stream) {
  WB_CHECK(cudaMemcpyAsync(p.device, p.host, p.bytes, cudaMemcpyHostToDevice, stream));
}

}  // namespace

WB_CUDA(PinnedMemory, baseline, run);
WB_EXERCISE(Pieces);
