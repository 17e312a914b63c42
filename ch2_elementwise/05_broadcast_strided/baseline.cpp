// One loop for every view, as one writes it first: from the element's number its batch, row and
// column. All cores share the elements, here and in every variant.
//
// Predict: a 64-bit division takes a core some 10 to 20 cycles, and no vector instruction divides
// integers. At how many bytes per second does that end?
#include "numbers.h"

namespace {

void run(const BroadcastStrided::Args& p) {
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto x = static_cast<const T*>(p.x), y = static_cast<const T*>(p.y);
    const auto z = static_cast<T*>(p.z);
    const Layout l = p.layout;
#pragma omp parallel for schedule(static)
    for (wb::i64 i = 0; i < l.elements(); ++i) {
      const wb::i64 column = i % l.size[2], row = i / l.size[2] % l.size[1];
      const wb::i64 batch = i / l.size[2] / l.size[1];
      const wb::i64 at = batch * l.stride[0] + row * l.stride[1] + column * l.stride[2];
      z[i] = sum(x[i], y[at]);
    }
  });
}

}  // namespace

WB_CPU(BroadcastStrided, baseline, run);
WB_EXERCISE(Difference);
