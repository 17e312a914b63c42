// The exercise, solved. The first run touches the pages and wakes the threads, and is not counted.
// Of fifteen more the fastest counts, because other programs only ever make a run slower. The
// caches are as the run before left them, which makes no difference for larger arrays.
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

#include "block_size.h"
#include "kernel.h"
#include "wb/cpu.h"

namespace {

using Run = std::function<void()>;

template <auto c> Run with(const BlockSize::Args& p, int threads) {
  return [=, w = Work{p.rows, p.columns, p.a, p.b, p.y}] { compute<c>(w, {threads, 1}); };
}

std::vector<Run> choices(const BlockSize::Args& p) {
  const int all = omp_get_max_threads();
  if (p.op == Operation::add)
    return {with<Add{1, false}>(p, 1), with<Add{2, false}>(p, all), with<Add{2, true}>(p, all)};
  if (p.op == Operation::columns)
    return {with<Columns{16, 1, false}>(p, 1), with<Columns{64, 4, true}>(p, all),
            with<Columns{1024, 2, true}>(p, all)};
  return {with<Rows{1, 1}>(p, 1), with<Rows{1, 4}>(p, all), with<Rows{16, 1}>(p, all),
          with<Rows{64, 1}>(p, all)};
}

double seconds(const Run& run) {
  using Clock = std::chrono::steady_clock;
  run();
  double least = 1e9;
  for (int i = 0; i < 15; ++i) {
    const Clock::time_point start = Clock::now();
    run();
    least = std::min(least, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return least;
}

Run fastest(const std::vector<Run>& choices) {
  std::vector<double> taken;
  for (const Run& run : choices) taken.push_back(seconds(run));
  return choices[std::min_element(taken.begin(), taken.end()) - taken.begin()];
}

Run make(const BlockSize::Args& p) { return fastest(choices(p)); }

}  // namespace

WB_CPU(BlockSize, solution, make);
