// Against step 2: a bucket is summed in a separate stream, while the backward pass goes on with the
// next layers. Only the last bucket has nothing to overlap with.
//
// Predict: how long does the step wait for the links now? What if there were one bucket only?
#include "nccl.cuh"

namespace {

auto make(const SeveralGpus::Args& p) {
  return [p, nccl = Nccl(p.ranks), ranks = Ranks(p)](cudaStream_t stream) {
    ranks.begin(stream);
    ranks.forward();
    for (wb::i64 l = p.layers - 1; l >= 0; --l) {
      ranks.backward(l);
      if (!p.completes_bucket(l)) continue;
      ranks.each([](const Rank& rank, int) { rank.order(rank.stream, rank.side); });
      nccl.sum(ranks, l, p.bucket_layers(l), &Rank::side);
    }
    ranks.each([](const Rank& rank, int) { rank.order(rank.side, rank.stream); });
    ranks.update(0, p.layers);
    ranks.end(stream);
  };
}

}  // namespace

WB_CUDA(SeveralGpus, step3_overlap, make);
