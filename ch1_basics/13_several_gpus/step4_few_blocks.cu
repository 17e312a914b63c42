// Against step 3: NCCL's kernels take no more multiprocessors from the products than they need to
// stay hidden. The last bucket overlaps with nothing, and gets as many as NCCL likes.
//
// Predict: where does this gain more, at 512 samples or at 2048? Where does it lose?
#include "nccl.cuh"

namespace {

auto make(const SeveralGpus::Args& p) {
  return [p, few = Nccl(p.ranks, few_blocks(p.batch)), all = Nccl(p.ranks),
          ranks = Ranks(p)](cudaStream_t stream) {
    ranks.begin(stream);
    ranks.forward();
    for (wb::i64 l = p.layers - 1; l >= 0; --l) {
      ranks.backward(l);
      if (!p.completes_bucket(l)) continue;
      ranks.each([](const Rank& rank, int) { rank.order(rank.stream, rank.side); });
      (l > 0 ? few : all).sum(ranks, l, p.bucket_layers(l), &Rank::side);
    }
    ranks.each([](const Rank& rank, int) { rank.order(rank.side, rank.stream); });
    ranks.update(0, p.layers);
    ranks.end(stream);
  };
}

}  // namespace

WB_CUDA(SeveralGpus, step4_few_blocks, make);
