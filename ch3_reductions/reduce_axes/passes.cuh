// One axis after the other, the last one first: an axis divides the array into (outer, axis,
// inner). Results in between are kept in fp32, in two arrays in turn.
#pragma once

#include <utility>
#include <vector>

#include "shape.h"
#include "wb/cuda.h"

namespace {

struct Pass {
  wb::i64 outer, axis, inner;
};

class Passes {
 public:
  explicit Passes(Shape shape) {
    for (int a = shape.rank - 1; a >= 0; --a) {
      if (!shape.reduced[a]) continue;
      Pass p{1, shape.size[a], 1};
      for (int b = 0; b < a; ++b) p.outer *= shape.size[b];
      for (int b = a + 1; b < shape.rank; ++b) p.inner *= shape.size[b];
      passes_.push_back(p);
      shape.size[a] = 1;
    }
    if (passes_.empty()) passes_.push_back({1, 1, shape.elements()});  // a copy
    for (std::size_t i = 0; i + 1 < passes_.size() && i < 2; ++i)
      between_[i] = wb::make_device_array<float>(passes_[i].outer * passes_[i].inner + 1);
  }

  wb::i64 longest() const {
    wb::i64 most = 0;
    for (const Pass& p : passes_) most = std::max(most, p.axis);
    return most;
  }

  // reduce(from, to, pass) for each of them, from x on; `to` is null where results are due.
  template <class T, class F> void run(const T* x, F reduce) const {
    float *from = between_[1].get(), *to = between_[0].get();
    for (std::size_t i = 0; i < passes_.size(); ++i, std::swap(from, to)) {
      const Pass& p = passes_[i];
      float* const out = i + 1 < passes_.size() ? to : nullptr;
      if (p.outer * p.inner == 0) continue;
      i == 0 ? reduce(x, out, p) : reduce(static_cast<const float*>(from), out, p);
    }
  }

 private:
  std::vector<Pass> passes_;
  std::shared_ptr<float[]> between_[2];
};

}  // namespace
