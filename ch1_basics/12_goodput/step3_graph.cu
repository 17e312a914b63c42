// Against step 2: the operations of a step are recorded once as a CUDA graph, and one call launches
// them all. On the device, a kernel of a graph follows its predecessor sooner, and kernels that do
// not depend on each other run side by side: weights are updated while gradients are on their way.
//
// Predict: goodput should now be high. Is the training fast, then? How full is a GPU with 32
// samples?
#include "graph.cuh"

namespace {

auto make(const Goodput::Args& p) {
  const Training training(p);
  const auto batches = std::make_shared<Prefetching>(p, /*loaders=*/1);
  return [training, batches, steps = RecordedSteps(training, *batches)](cudaStream_t stream) {
    training.begin(stream);
    batches->epoch(stream, [&](wb::i64 step) { steps.launch(step, stream); });
    training.end(stream);
  };
}

}  // namespace

WB_CUDA(Goodput, step3_graph, make);
