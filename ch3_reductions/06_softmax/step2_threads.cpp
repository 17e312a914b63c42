// Changes against step 1: all cores, each with a share of the rows and its own buffer.
//
// Predict: a row of 4096 floats and its buffer stay in a core's caches. And those of a row of a
// million? How many times does each then come from memory?
#include <vector>

#include "../softmax/passes.h"
#include "gradients.h"

namespace {

void run(const Softmax::Args& p) {
  with_rows(p, [&](auto r) {
#pragma omp parallel
    {
      std::vector<float> kept(p.backward ? 0 : r.columns);
#pragma omp for schedule(static)
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
    }
  });
}

}  // namespace

WB_CPU(Softmax, step2_threads, run);
