// Against the baseline: all room is made once, in set-up, for the largest batch, and used again by
// every step.
//
// Predict: a step of the baseline has six pairs of cudaMalloc and cudaFree. How many kernels could
// it launch in their time?
#include <vector>

#include "network.cuh"

namespace {

auto make(const Goodput::Args& p) {
  return [p, training = Training(p), rows = wb::make_device_array<Row>(p.batch),
          gathered = std::vector<Row>(p.batch),
          losses = std::vector<float>(p.samples)](cudaStream_t stream) mutable {
    const auto wait = [stream] { WB_CHECK(cudaStreamSynchronize(stream)); };
    training.begin(stream);
    wait();
    ShuffleBuffer order(p.samples);
    for (wb::i64 step = 0; step < p.steps(); ++step) {
      const wb::i64 samples = p.size(step), first = step * p.batch;
      gather(p, step, order, gathered.data());
      WB_CHECK(cudaMemcpyAsync(rows.get(), gathered.data(), samples * sizeof(Row),
                               cudaMemcpyHostToDevice, stream));
      wait();
      training.step(step, rows.get(), stream, wait);
      WB_CHECK(cudaMemcpyAsync(&losses[first], training.sample_losses.get() + first,
                               samples * sizeof(float), cudaMemcpyDeviceToHost, stream));
      wait();
    }
    summarize(p, losses.data());
  };
}

}  // namespace

WB_CUDA(Goodput, step1_preallocated, make);
