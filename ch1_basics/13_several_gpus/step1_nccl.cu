// Against the baseline: GPUs are linked to each other, and NCCL adds up their gradients over these
// links. The host sees none of it.
//
// Predict: with two GPUs each sends half of its gradient and receives half of the sum, and both
// directions of a link work at once: 128 MiB each way. How long does that take at 400 GB/s?
#include "nccl.cuh"

namespace {

auto make(const SeveralGpus::Args& p) {
  return [p, nccl = Nccl(p.ranks), ranks = Ranks(p)](cudaStream_t stream) {
    ranks.begin(stream);
    ranks.forward();
    ranks.backward();
    nccl.sum(ranks, 0, p.layers);
    ranks.update(0, p.layers);
    ranks.end(stream);
  };
}

}  // namespace

WB_CUDA(SeveralGpus, step1_nccl, make);
