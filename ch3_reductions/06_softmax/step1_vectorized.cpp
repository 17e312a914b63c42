// Changes against baseline: the exponential is a polynomial in the loop, not a call, and sums and
// maxima have as many accumulators as a vector has lanes (passes.h).
//
// Predict: a polynomial of degree 5 and the instructions around it are some 15 for 8 or 16
// elements. Does arithmetic still decide?
#include <vector>

#include "../softmax/passes.h"
#include "gradients.h"

namespace {

auto make(const Softmax::Args& p) {
  return [p, kept = std::vector<float>(p.columns)]() mutable {
    with_rows(p, [&](auto r) {
      for (i64 row = 0; row < r.rows; ++row) {
        const auto* x = r.x + row * r.stride;
        auto* out = r.out + row * r.stride;
        if (p.backward) {
          const auto* dy = r.dy + row * r.stride;
          gradients(x, dy, dot(x, dy, r.columns), out, r.columns);
        } else {
          const float sum = exponentials(x, maximum(x, r.columns), kept.data(), r.columns);
          scaled(kept.data(), 1 / sum, out, r.columns);
        }
      }
    });
  };
}

}  // namespace

WB_CPU(Softmax, step1_vectorized, make);
