// Against step 1: the sum is taken bucket by bucket, a few layers each, as soon as the backward
// pass has their gradients. The backward pass still waits for each.
//
// Predict: the same bytes in more calls. Faster or slower than step 1?
#include "nccl.cuh"

namespace {

auto make(const SeveralGpus::Args& p) {
  return [p, nccl = Nccl(p.ranks), ranks = Ranks(p)](cudaStream_t stream) {
    ranks.begin(stream);
    ranks.forward();
    for (wb::i64 l = p.layers - 1; l >= 0; --l) {
      ranks.backward(l);
      if (p.completes_bucket(l)) nccl.sum(ranks, l, p.bucket_layers(l));
    }
    ranks.update(0, p.layers);
    ranks.end(stream);
  };
}

}  // namespace

WB_CUDA(SeveralGpus, step2_buckets, make);
