// What one writes first: gradients go to the host, which adds them up, and the sum goes back.
//
// Predict: a GPU needs 2 ms for its forward and backward pass. Its gradient has 128 MiB, and the
// link to the host carries 55 GB/s each way. How much longer is the step, before anything is added?
#include "ranks.cuh"

namespace {

auto make(const SeveralGpus::Args& p) {
  std::vector<std::shared_ptr<float[]>> host;
  for (wb::i64 r = 0; r < p.ranks; ++r) {
    float* data = nullptr;
    WB_CHECK(cudaMallocHost(&data, p.weights() * sizeof(float)));
    host.emplace_back(data, [](float* d) { cudaFreeHost(d); });
  }
  return [p, host, ranks = Ranks(p)](cudaStream_t stream) {
    ranks.begin(stream);
    ranks.forward();
    ranks.backward();
    if (p.ranks > 1) {
      ranks.each([&](const Rank& rank, int r) {
        Rank::copy(host[r].get(), rank.gradient.get(), p.weights(), rank.stream.get());
      });
      ranks.each(
          [&](const Rank& rank, int) { WB_CHECK(cudaStreamSynchronize(rank.stream.get())); });
      float* const sum = host[0].get();
#pragma omp parallel for
      for (wb::i64 i = 0; i < p.weights(); ++i)
        for (wb::i64 r = 1; r < p.ranks; ++r) sum[i] += host[r][i];
      ranks.each([&](const Rank& rank, int) {
        Rank::copy(rank.gradient.get(), sum, p.weights(), rank.stream.get());
      });
    }
    ranks.update(0, p.layers);
    ranks.end(stream);
  };
}

}  // namespace

WB_CUDA(SeveralGpus, baseline, make);
WB_EXERCISE(FourRounds<SeveralGpus>);
