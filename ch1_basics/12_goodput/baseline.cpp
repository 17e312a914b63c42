// What one writes first. Each step draws its samples, gathers them, makes room for the batch and
// for what the network computes, trains, and gives the room back.
//
// Predict: of the wall time, how much is training? What takes the rest, and could it be done at
// another time?
#include "network.h"

namespace {

void run(const Goodput::Args& p) {
  openblas_set_num_threads(1);  // a product of 32 samples is too small to share
  std::vector<float> weights(p.initial_weights, p.initial_weights + p.weights());
  std::vector<float> sample_losses(p.samples);
  ShuffleBuffer order(p.samples);
  for (wb::i64 step = 0; step < p.steps(); ++step) {
    std::optional<wb::Span> allocating(std::in_place, wb::Work::allocate, "allocate");
    std::vector<Row> rows(p.size(step));
    Work work(p, p.size(step));
    allocating.reset();
    {
      const wb::Span span(wb::Work::copy, "gather");
      gather(p, step, order, rows.data());
    }
    train(p, static_cast<int>(p.size(step)), rows.data(), weights.data(), work,
          sample_losses.data());
  }
  summarize(p, sample_losses.data());
}

}  // namespace

WB_CPU(Goodput, baseline, run);
WB_EXERCISE(LargerBatch);
