// The exercise, solved: no copies at all. The kernel reads the recording and writes the result
// where they are, in pinned host memory, across the link. While some warps wait for the link others
// compute, so the hardware overlaps all three stages by itself. Each byte crosses once; data that
// is used twice should be copied.
#include "stages.cuh"

namespace {

void run(const DoubleBuffering::Args& p, cudaStream_t stream) {
  if (p.samples == 0) return;
  const wb::i64 block = 256;
  process<<<(p.samples + block - 1) / block, block, 0, stream>>>(p.recording, p.result, p.samples,
                                                                 p.rounds);
  WB_CHECK(cudaGetLastError());
}

}  // namespace

WB_CUDA(DoubleBuffering, solution, run);
