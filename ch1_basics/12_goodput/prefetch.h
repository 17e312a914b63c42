// Training on the CPU, with a second thread that draws and gathers batches ahead of it.
#pragma once

#include <array>

#include "network.h"
#include "progress.h"

namespace {

class Prefetching {
 public:
  Prefetching(const Goodput::Args& p, int training_threads)
      : p_(p),
        training_threads_(training_threads),
        weights_(p.weights()),
        sample_losses_(p.samples),
        work_(p, p.batch) {
    for (auto& rows : slots_) rows.resize(p.batch);
  }

  void operator()() {
    openblas_set_num_threads(training_threads_);
    std::copy_n(p_.initial_weights, p_.weights(), weights_.data());
    Progress gathered, trained;
    ShuffleBuffer order(p_.samples);  // here, so that the loader has nothing to do that can fail
    std::jthread loader([&] { load(order, gathered, trained); });
    for (wb::i64 step = 0; step < p_.steps(); ++step) {
      gathered.wait_for(step + 1);
      train(p_, static_cast<int>(p_.size(step)), rows(step), weights_.data(), work_,
            sample_losses_.data());
      trained.advance();
    }
    summarize(p_, sample_losses_.data());
  }

 private:
  static constexpr wb::i64 kSlots = 8;  // far enough ahead to ride out a pause of the loader
  Row* rows(wb::i64 step) { return slots_[step % kSlots].data(); }

  void load(ShuffleBuffer& order, Progress& gathered, const Progress& trained) {
    for (wb::i64 step = 0; step < p_.steps(); ++step) {
      trained.wait_for(step - kSlots + 1, /*most_looks=*/0);  // which used this slot before
      const wb::Span span(wb::Work::copy, "gather");
      gather(p_, step, order, rows(step));
      gathered.advance();
    }
  }

  Goodput::Args p_;
  int training_threads_;
  std::array<std::vector<Row>, kSlots> slots_;
  std::vector<float> weights_, sample_losses_;
  Work work_;
};

}  // namespace
