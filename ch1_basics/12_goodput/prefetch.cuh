// Batches on their way to the device, ahead of training. Loader threads draw and gather samples
// into pinned memory and copy them on separate streams. Several buffers ("slots") go round; a
// pinned half is free once it has been copied, a device half once it has been trained on.
#pragma once

#include <array>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

#include "batch.h"
#include "progress.h"
#include "wb/cuda.h"

namespace {

class Prefetching {
 public:
  static constexpr wb::i64 kSlots = 8;  // far enough ahead to ride out a pause of a loader

  // Each of the loaders takes care of its share of every batch. Their threads sleep between epochs.
  Prefetching(const Goodput::Args& p, int loaders) : p_(p), copied_(loaders), failures_(loaders) {
    for (Slot& slot : slots_) {
      slot.pinned = make_pinned_rows(p.batch);
      slot.device = wb::make_device_array<Row>(p.batch);
      for (int i = 0; i < loaders; ++i) slot.copied.push_back(wb::make_event());
    }
    for (int i = 0; i < loaders; ++i) streams_.push_back(wb::make_stream());
    for (int i = 0; i < loaders; ++i) threads_.emplace_back([this, i] { run_loader(i); });
  }
  ~Prefetching() {
    stopping_ = true;
    trained_.give_up();
    epochs_.give_up();
  }

  // Where the batch of a step is on the device.
  const Row* rows(wb::i64 step) const { return slots_[step % kSlots].device.get(); }

  // Calls train_step(step) for each step of an epoch. By what it enqueues on `stream`, rows(step)
  // are there, and stay there. Returns when all is enqueued. Throws what a loader has thrown.
  template <class TrainStep> void epoch(cudaStream_t stream, TrainStep train_step) {
    epochs_.advance();
    for (wb::i64 step = 0; step < p_.steps(); ++step) {
      const Slot& slot = slots_[step % kSlots];
      for (std::size_t i = 0; i < copied_.size(); ++i) {
        copied_[i].wait_for(steps_before_ + step + 1);
        if (copied_[i].given_up()) std::rethrow_exception(failures_[i]);
        WB_CHECK(cudaStreamWaitEvent(stream, slot.copied[i].get()));
      }
      train_step(step);
      WB_CHECK(cudaEventRecord(slot.trained.get(), stream));
      trained_.advance();
    }
    steps_before_ += p_.steps();
  }

 private:
  struct Slot {
    std::shared_ptr<Row[]> pinned, device;
    std::vector<wb::Event> copied;  // one a loader
    wb::Event trained = wb::make_event();
  };

  static std::shared_ptr<Row[]> make_pinned_rows(wb::i64 count) {
    Row* rows = nullptr;
    WB_CHECK(cudaHostAlloc(&rows, count * sizeof(Row), cudaHostAllocDefault));
    return std::shared_ptr<Row[]>(rows, [](Row* r) { cudaFreeHost(r); });
  }

  void run_loader(wb::i64 i) {
    try {
      for (wb::i64 epoch = 0;; ++epoch) {
        epochs_.wait_for(epoch + 1, /*most_looks=*/0);
        if (stopping_) return;
        load(i, epoch * p_.steps());
      }
    } catch (...) {
      failures_[i] = std::current_exception();
      copied_[i].give_up();
    }
  }

  // What loader `i` does in an epoch. All draw all samples, which is cheap, and gather their own.
  void load(wb::i64 i, wb::i64 steps_before) {
    ShuffleBuffer order(p_.samples);
    // Its part of every batch, so that no other loader ever writes there.
    const wb::i64 loaders = copied_.size(), from = i * p_.batch / loaders,
                  to = (i + 1) * p_.batch / loaders;
    cudaStream_t stream = streams_[i].get();
    for (wb::i64 step = 0; step < p_.steps(); ++step) {
      const Slot& slot = slots_[step % kSlots];
      const wb::i64 size = p_.size(step), begin = std::min(from, size), end = std::min(to, size);
      WB_CHECK(cudaEventSynchronize(slot.copied[i].get()));  // the pinned half is free
      for (wb::i64 r = 0; r < size; ++r) {
        const wb::i64 sample = order.draw();
        if (begin <= r && r < end) copy_sample(p_, sample, step * p_.batch + r, slot.pinned[r]);
      }
      trained_.wait_for(steps_before + step - kSlots + 1);
      WB_CHECK(cudaStreamWaitEvent(stream, slot.trained.get()));  // the device half is free
      if (begin < end)
        WB_CHECK(cudaMemcpyAsync(&slot.device[begin], &slot.pinned[begin],
                                 (end - begin) * sizeof(Row), cudaMemcpyHostToDevice, stream));
      WB_CHECK(cudaEventRecord(slot.copied[i].get(), stream));
      copied_[i].advance();
    }
  }

  Goodput::Args p_;
  std::array<Slot, kSlots> slots_;
  Progress epochs_, trained_;     // epochs begun; steps whose training is enqueued, over all epochs
  std::vector<Progress> copied_;  // batches whose copy is enqueued, for each loader
  std::vector<std::exception_ptr> failures_;  // why a loader gave up
  std::vector<wb::Stream> streams_;
  wb::i64 steps_before_ = 0;  // in earlier epochs
  std::atomic<bool> stopping_ = false;
  std::vector<std::jthread> threads_;  // last, so that they end before what they use
};

}  // namespace
