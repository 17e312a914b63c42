// Against step 1: the host no longer waits after each operation. A loader thread gathers the next
// batches into pinned memory and copies them on a separate stream, events tell the GPU when one is
// there, and losses stay on the device until the epoch is over.
//
// Predict: what keeps the GPU waiting now? How long does the host take to enqueue one step?
#include "network.cuh"
#include "prefetch.cuh"

namespace {

auto make(const Goodput::Args& p) {
  const auto batches = std::make_shared<Prefetching>(p, /*loaders=*/1);
  return [batches, training = Training(p)](cudaStream_t stream) {
    training.begin(stream);
    batches->epoch(stream, [&](wb::i64 step) { training.step(step, batches->rows(step), stream); });
    training.end(stream);
  };
}

}  // namespace

WB_CUDA(Goodput, step2_prefetched, make);
