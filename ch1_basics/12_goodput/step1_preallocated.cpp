// Against the baseline: all room is made once, in set-up, for the largest batch, and used again by
// every step.
//
// Predict: the arrays of a batch take about 100 KiB. What did it cost to make them anew each time?
#include "network.h"

namespace {

auto make(const Goodput::Args& p) {
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

WB_CPU(Goodput, step1_preallocated, make);
