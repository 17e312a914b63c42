// One chunk at a time, one thread: load it, then compute on it. While it loads nothing is computed,
// and a second core, if there is one, has nothing to do.
//
// Predict: loading takes somewhat more than half as long as computing. How much of the wall time
// is computing?
#include "stages.h"

namespace {

auto make(const DoubleBuffering::Args& p) {
  return [p, buffer = std::vector<float>(p.largest())]() mutable {
    for (wb::i64 i = 0; i < p.chunks(); ++i) {
      load(p, i, buffer.data());
      compute(p, i, buffer.data());
    }
  };
}

}  // namespace

WB_CPU(DoubleBuffering, baseline, make);
