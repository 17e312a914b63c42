// Against step 3: 64 times as many samples in each step, with steps 64 times as large. Kernels that
// ended before the GPU was full now have work for all of it, and the gaps between them are a small
// part of the time. One loader cannot keep up with this training, so there are eight.
//
// Predict: 64 times fewer launches of the same kernels. How much longer does each take? Does the
// network still learn as much from one epoch?
#include "graph.cuh"

namespace {

auto make(const LargerBatch::Args& p) {
  const Training training(p);
  const auto batches = std::make_shared<Prefetching>(p, /*loaders=*/8);
  return [training, batches, steps = RecordedSteps(training, *batches)](cudaStream_t stream) {
    training.begin(stream);
    batches->epoch(stream, [&](wb::i64 step) { steps.launch(step, stream); });
    training.end(stream);
  };
}

}  // namespace

WB_CUDA(LargerBatch, optimized, make);
WB_PROBLEM(LargerBatch);
