// Changes against step 1: threads and chunk follow from the number of elements, whatever the case
// says. One piece for each thread, as long as can be; and no more threads than have something to do
// that takes longer than waking them.
//
// Predict: how many elements are worth a second thread? (A core scales some thousand elements in a
// microsecond; and what does a second thread cost that waits for work, and one that sleeps?)
#include "chunk.h"
#include "wb/cpu.h"

namespace {

constexpr wb::i64 kWorthAThread = 1 << 18;  // elements: 2 MiB

void run(const LaunchConfig::Args& p) {
  const wb::i64 team = std::clamp<wb::i64>(p.n / kWorthAThread, 1, cores());
  if (team == 1) {
    scale(p.n, p.a, p.x, p.y);
    finish_streaming();
    return;
  }
#pragma omp parallel num_threads(static_cast <int>(team))
  {
    const wb::i64 lines = (p.n + kLine - 1) / kLine;
    const wb::i64 self = omp_get_thread_num(), all = omp_get_num_threads();
    const wb::i64 first = std::min(p.n, lines * self / all * kLine);
    const wb::i64 last = std::min(p.n, lines * (self + 1) / all * kLine);
    scale(last - first, p.a, p.x + first, p.y + first);
    finish_streaming();
  }
}

}  // namespace

WB_CPU(LaunchConfig, optimized, run);
