// Step 3, with a log for a student who likes to watch: the loss of each visit goes to `p.log`, in
// host memory. After each step its losses are fetched. It is right, and slow: the GPU waits for the
// host after each step, and what the prefetching and the graph had gained is lost.
//
// TODO: write the log without making the GPU wait. It may be later than the training, but must be
//       complete at the end.
// Goal: 0.9 times step3_graph at width=1024,samples=32768,usual_batch=32,batch=2048
// Hints are in README.md.
#include "graph.cuh"

namespace {

auto make(const Logged::Args& p) {
  const Training training(p);
  const auto batches = std::make_shared<Prefetching>(p, /*loaders=*/1);
  return [p, training, batches, steps = RecordedSteps(training, *batches)](cudaStream_t stream) {
    const auto log_losses = [&](wb::i64 step) {
      const wb::i64 first = step * p.batch;
      WB_CHECK(cudaMemcpyAsync(p.log + first, training.sample_losses.get() + first,
                               p.size(step) * sizeof(float), cudaMemcpyDeviceToHost, stream));
      WB_CHECK(cudaStreamSynchronize(stream));
    };
    training.begin(stream);
    batches->epoch(stream, [&](wb::i64 step) {
      steps.launch(step, stream);
      log_losses(step);
    });
    WB_CHECK(cudaStreamSynchronize(stream));  // without samples nothing has waited yet
    summarize(p, p.log);
  };
}

}  // namespace

WB_CUDA(Logged, exercise, make);
