// The larger batch without a loader thread: one core gathers, then trains, and the other cores are
// idle.
//
// TODO 1: let all cores train. Products of 256 samples are large enough to share.
// TODO 2: let all cores gather. Drawing has to stay in order, but the copying takes longer.
// Goal: 0.8 times optimized at width=512,samples=8192,usual_batch=32,batch=256
// Hints are in README.md.
#include "network.h"

namespace {

auto make(const LargerBatch::Args& p) {
  return
      [p, weights = std::vector<float>(p.weights()), sample_losses = std::vector<float>(p.samples),
       rows = std::vector<Row>(p.batch), work = Work(p, p.batch)]() mutable {
        openblas_set_num_threads(1);
        std::copy_n(p.initial_weights, p.weights(), weights.data());
        ShuffleBuffer order(p.samples);
        for (wb::i64 step = 0; step < p.steps(); ++step) {
          {
            const wb::Span span(wb::Work::copy, "gather");
            gather(p, step, order, rows.data());
          }
          train(p, static_cast<int>(p.size(step)), rows.data(), weights.data(), work,
                sample_losses.data());
        }
        summarize(p, sample_losses.data());
      };
}

}  // namespace

WB_CPU(LargerBatch, exercise, make);
