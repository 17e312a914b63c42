// Against the baseline: two buffers, and an asynchronous task that loads the next chunk into one
// while this thread computes on the other. This is what most people write first.
//
// Predict: each chunk starts a thread. For which chunk sizes does that matter?
#include <array>
#include <future>

#include "stages.h"

namespace {

auto make(const DoubleBuffering::Args& p) {
  const std::vector<float> buffer(p.largest());
  return [p, buffers = std::array{buffer, buffer}]() mutable {
    const auto load_later = [&](wb::i64 i) {
      return std::async(std::launch::async, [&, i] { load(p, i, buffers[i % 2].data()); });
    };
    std::future<void> loading;
    if (p.chunks() > 0) loading = load_later(0);
    for (wb::i64 i = 0; i < p.chunks(); ++i) {
      loading.get();
      if (i + 1 < p.chunks()) loading = load_later(i + 1);
      compute(p, i, buffers[i % 2].data());
    }
  };
}

}  // namespace

WB_CPU(DoubleBuffering, step1_two_buffers, make);
