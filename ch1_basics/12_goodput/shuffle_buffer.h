// The order in which samples are visited. A buffer holds some thousand of them; each draw takes one
// at random and puts the next of the data set in its place, as data loaders do. The generator is
// seeded by a constant, so every variant sees the same samples in the same order.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "wb/problem.h"

class ShuffleBuffer {
 public:
  explicit ShuffleBuffer(wb::i64 samples)
      : samples_(samples), buffer_(std::min<wb::i64>(samples, 4096)) {
    for (; next_ < static_cast<wb::i64>(buffer_.size()); ++next_) buffer_[next_] = next_;
  }
  wb::i64 draw() {  // at most once a sample
    wb::i64& place = buffer_[random_() % buffer_.size()];
    const wb::i64 drawn = place;
    if (next_ < samples_) {
      place = next_++;
    } else {
      place = buffer_.back();
      buffer_.pop_back();
    }
    return drawn;
  }

 private:
  wb::i64 samples_, next_ = 0;
  std::vector<wb::i64> buffer_;
  std::mt19937_64 random_{20260301};
};
