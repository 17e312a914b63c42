// Changes against step 2: nothing is read only to be overwritten. An ordinary store first reads the
// line that it changes; where the arrays are larger than a cache, results go past the caches in
// whole lines (lines.h). Where there is little work, one core does it alone.
//
// Predict: which factor follows from the bytes of a row of 4096? And from those of a row of a
// million, whose x and exponentials do not fit into a core's own caches?
#include <vector>

#include "../shared/lines.h"
#include "../softmax/passes.h"
#include "gradients.h"

namespace {

constexpr i64 kWorthCores = 1 << 13;  // elements; with fewer, one core is done sooner

void run(const Softmax::Args& p) {
  const bool past_caches = Softmax::cost(p).bytes() > kCache;
  with_rows(p, [&]<class T>(const Rows<T>& r) {
#pragma omp parallel if (r.rows * r.columns > kWorthCores)
    {
      std::vector<float> kept(p.backward ? 0 : r.columns);
#pragma omp for schedule(static) nowait
      for (i64 row = 0; row < r.rows; ++row) {
        const T* x = r.x + row * r.stride;
        T* out = r.out + row * r.stride;
        if (p.backward) {
          const T* dy = r.dy + row * r.stride;
          const float sum = dot(x, dy, r.columns);
          write(out, r.columns, past_caches,
                [=](i64 i) { return widen(x[i]) * (widen(dy[i]) - sum); });
        } else {
          const float* e = kept.data();
          const float factor = 1 / exponentials(x, maximum(x, r.columns), kept.data(), r.columns);
          write(out, r.columns, past_caches, [=](i64 i) { return e[i] * factor; });
        }
      }
      finish_streaming();
    }
  });
}

}  // namespace

WB_CPU(Softmax, optimized, run);
