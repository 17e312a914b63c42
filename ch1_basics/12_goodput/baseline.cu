// What one writes first. Each step draws its samples, gathers them, allocates room on the device,
// copies the batch, trains, fetches the loss and gives the room back. After each operation it waits
// for the GPU, so that an error shows where it happens.
//
// Predict: of the wall time, how much does the GPU compute? Which of the habits above costs most?
#include <vector>

#include "network.cuh"

namespace {

auto make(const Goodput::Args& p) {
  return [p, handle = wb::make_cublas()](cudaStream_t stream) {
    WB_CHECK_CUBLAS(cublasSetStream(handle.get(), stream));
    const auto wait = [stream] { WB_CHECK(cudaStreamSynchronize(stream)); };
    const auto weights = wb::make_device_array<float>(p.weights());
    const auto losses_on_device = wb::make_device_array<float>(p.samples);
    std::vector<float> losses(p.samples);
    WB_CHECK(cudaMemcpyAsync(weights.get(), p.initial_weights, p.weights() * sizeof(float),
                             cudaMemcpyDeviceToDevice, stream));
    wait();

    ShuffleBuffer order(p.samples);
    for (wb::i64 step = 0; step < p.steps(); ++step) {
      const wb::i64 samples = p.size(step), first = step * p.batch;
      std::vector<Row> gathered(samples);
      gather(p, step, order, gathered.data());

      const auto rows = wb::make_device_array<Row>(samples);
      const Work work(p, samples);
      WB_CHECK(cudaMemcpyAsync(rows.get(), gathered.data(), samples * sizeof(Row),
                               cudaMemcpyHostToDevice, stream));
      wait();
      train(p, samples, rows.get(), weights.get(), work, losses_on_device.get(), handle.get(),
            handle.get(), wait);
      WB_CHECK(cudaMemcpyAsync(&losses[first], losses_on_device.get() + first,
                               samples * sizeof(float), cudaMemcpyDeviceToHost, stream));
      wait();
    }
    summarize(p, losses.data());
  };
}

}  // namespace

WB_CUDA(Goodput, baseline, make);
WB_EXERCISE(Logged);
