// The baseline once more: one thread loads a chunk, computes on it, and takes the next. While it
// loads nothing is computed.
//
// TODO: a pipeline. A second thread loads chunks into several buffers, ahead of this one, which
//       computes on them in turn. Say with a mutex and a condition variable, or with counters, when
//       a buffer is full and when it is free again. Step 1 starts a thread per chunk: not fast
//       enough.
// Goal: 0.85 times optimized at samples=8388608,chunk=131072,rounds=6
// Hints are in README.md.
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

WB_CPU(DoubleBuffering, exercise, make);
