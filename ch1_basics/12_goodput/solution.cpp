// The exercise, solved: all cores gather, then all cores train. A step first draws its samples, and
// the copies are then independent of each other. There is no other thread and no other buffer. The
// price is that cores which are done wait for the other cores twice per step.
#include <omp.h>

#include "network.h"

namespace {

auto make(const LargerBatch::Args& p) {
  return [p, weights = std::vector<float>(p.weights()),
          sample_losses = std::vector<float>(p.samples), rows = std::vector<Row>(p.batch),
          drawn = std::vector<wb::i64>(p.batch), work = Work(p, p.batch)]() mutable {
    openblas_set_num_threads(omp_get_max_threads());
    std::copy_n(p.initial_weights, p.weights(), weights.data());
    ShuffleBuffer order(p.samples);
    for (wb::i64 step = 0; step < p.steps(); ++step) {
      const wb::i64 size = p.size(step);
      {
        const wb::Span span(wb::Work::copy, "gather");
        for (wb::i64 r = 0; r < size; ++r) drawn[r] = order.draw();
#pragma omp parallel for schedule(static)
        for (wb::i64 r = 0; r < size; ++r) copy_sample(p, drawn[r], step * p.batch + r, rows[r]);
      }
      train(p, static_cast<int>(size), rows.data(), weights.data(), work, sample_losses.data());
    }
    summarize(p, sample_losses.data());
  };
}

}  // namespace

WB_CPU(LargerBatch, solution, make);
