// The exercise: each GPU adds up its own parts, in the product that makes the gradient. The last
// part's backward pass completes the totals layer by layer, and they cross at the same time, in
// buckets.
#include "nccl.cuh"

namespace {

auto make(const SeveralGpus::Args& p) {
  return [p, nccl = Nccl(p.ranks), ranks = Ranks(p)](cudaStream_t stream) {
    ranks.begin(stream);
    for (wb::i64 round = 0; round < p.rounds; ++round) {
      ranks.forward(round);
      for (wb::i64 l = p.layers - 1; l >= 0; --l) {
        ranks.backward(l, /*add=*/round > 0);
        if (round < p.rounds - 1 || !p.completes_bucket(l)) continue;
        ranks.each([](const Rank& rank, int) { rank.order(rank.stream, rank.side); });
        nccl.sum(ranks, l, p.bucket_layers(l), &Rank::side);
        ranks.update(l, p.bucket_layers(l), &Rank::side);
      }
    }
    ranks.each([](const Rank& rank, int) { rank.order(rank.side, rank.stream); });
    ranks.end(stream);
  };
}

}  // namespace

WB_CUDA(FourRounds<SeveralGpus>, solution, make);
