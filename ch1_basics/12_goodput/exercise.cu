// Step 3, by somebody who likes to watch: after each step its losses are fetched, and their mean is
// written to `p.losses`. Right, and slow: the GPU waits for the host after each step, and what the
// prefetching and the graph had gained is lost.
//
// TODO: write the log without making the GPU wait. The log is the loss of every visit, in host
//       memory while training goes on (p.losses, the means, may follow at the end). It may lag
//       behind the training by some steps, but must be complete at the end. Leaving all losses on
//       the device until the epoch is over is step 3.
// Goal: 0.9 times step3_graph at width=1024,samples=32768,usual_batch=32,batch=2048
// Hints are in README.md.
#include <numeric>

#include "graph.cuh"

namespace {

auto make(const Goodput::Args& p) {
  const Training training(p);
  const auto batches = std::make_shared<Prefetching>(p, /*loaders=*/1);
  return [p, training, batches, steps = RecordedSteps(training, *batches),
          losses = std::vector<float>(p.samples)](cudaStream_t stream) mutable {
    const auto log_loss = [&](wb::i64 step) {
      const wb::i64 first = step * p.batch, samples = p.size(step);
      WB_CHECK(cudaMemcpyAsync(&losses[first], training.sample_losses.get() + first,
                               samples * sizeof(float), cudaMemcpyDeviceToHost, stream));
      WB_CHECK(cudaStreamSynchronize(stream));
      p.losses[step] = std::accumulate(&losses[first], &losses[first] + samples, 0.0f) / samples;
    };
    training.begin(stream);
    batches->epoch(stream, [&](wb::i64 step) {
      steps.launch(step, stream);
      log_loss(step);
    });
    WB_CHECK(cudaStreamSynchronize(stream));
    summarize(p, losses.data());
  };
}

}  // namespace

WB_CUDA(Goodput, exercise, make);
