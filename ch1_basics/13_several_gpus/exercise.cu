// The batch is too large for a GPU's memory, so it comes in four parts, and their gradients are
// added up before the weights move once (gradient accumulation). As shipped, the GPUs add up the
// gradient of each part, so the same bytes cross four times, and the backward pass waits for them.
//
// TODO: a sum of sums may be taken in any order. How often must the GPUs exchange anything, and
// what can they do meanwhile?
// Goal: at most 3.75 times as long as step1_nccl at ranks=2,layers=8,width=2048,batch=512,bucket=2
#include "nccl.cuh"

namespace {

auto make(const SeveralGpus::Args& p) {
  const Ranks ranks(p);
  std::vector<std::shared_ptr<float[]>> totals(p.ranks);
  ranks.each([&](const Rank&, int r) { totals[r] = wb::make_device_array<float>(p.weights()); });
  return [p, ranks, totals, nccl = Nccl(p.ranks)](cudaStream_t stream) {
    ranks.begin(stream);
    for (wb::i64 round = 0; round < p.rounds; ++round) {
      ranks.forward(round);
      ranks.backward();
      nccl.sum(ranks, 0, p.layers);
      ranks.each([&](const Rank& rank, int r) {
        const float one = 1;
        const int count = static_cast<int>(p.weights());
        if (round > 0)  // gradient += total
          WB_CHECK_CUBLAS(cublasSaxpy(rank.cublas.get(), count, &one, totals[r].get(), 1,
                                      rank.gradient.get(), 1));
        if (round < p.rounds - 1)
          Rank::copy(totals[r].get(), rank.gradient.get(), count, rank.stream.get());
      });
    }
    ranks.update(0, p.layers);
    ranks.end(stream);
  };
}

}  // namespace

WB_CUDA(FourRounds<SeveralGpus>, exercise, make);
