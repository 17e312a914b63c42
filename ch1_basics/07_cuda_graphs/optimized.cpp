// Against step 2: fewer barriers instead of cheaper ones. A thread works on tiles, takes 25 more
// points on either side than it has to compute, and makes 25 steps without its neighbours' results:
// each step spoils one point at either edge, and the points in the middle stay right. A list of 8
// tasks does what 200 did, and a tile stays in the first-level cache meanwhile.
//
// Predict: what does this gain at 16,384 points, and at a million, where barriers did not matter?
#include <omp.h>

#include "steps.h"
#include "team.h"

namespace {

constexpr wb::i64 kSteps = 25, kTile = 2048;
static_assert(2 * kSteps <= 512);

// Points [first, last) of the ring, at most kTile of them, some steps on.
void advance_far(wb::i64 n, const float* from, float* to, wb::i64 first, wb::i64 last,
                 wb::i64 steps) {
  const wb::Span span(wb::Work::compute, "steps");
  // Some more room, so that lines are aligned and don't start at the same place of a page.
  alignas(64) float lines[2][kTile + 512];
  float *now = lines[0], *then = lines[1];
  const wb::i64 start = first - steps, width = last - first + 2 * steps;
  for (wb::i64 j = 0, count; j < width; j += count) {  // in one piece, but where the ring closes
    const wb::i64 i = ((start + j) % n + n) % n;
    count = std::min(width - j, n - i);
    std::copy_n(from + i, count, now + j);
  }
  for (wb::i64 left = width - 2; left >= last - first; left -= 2) {
    // Point j of the new line is point j + 1 of the old one, so that stores stay aligned.
#pragma omp simd
    for (wb::i64 j = 0; j < left; ++j) then[j] = next(now[j], now[j + 1], now[j + 2]);
    std::swap(now, then);
  }
  std::copy_n(now, last - first, to + first);
}

std::vector<Task> record(const CudaGraphs::Args& p, float* scratch) {
  std::vector<Task> tasks;
  const wb::i64 passes = (p.steps + kSteps - 1) / kSteps;
  for (wb::i64 pass = 0; pass < passes; ++pass)
    tasks.push_back([n = p.points, from = p.source(pass, passes, scratch),
                     to = p.target(pass, passes, scratch),
                     steps = std::min(kSteps, p.steps - pass * kSteps)](int member, int members) {
      const wb::i64 end = share(n, member + 1, members);
      for (wb::i64 i = share(n, member, members); i < end; i += kTile)
        advance_far(n, from, to, i, std::min(i + kTile, end), steps);
    });
  return tasks;
}

auto make(const CudaGraphs::Args& p) {
  std::vector<float> scratch(p.points);
  auto tasks = record(p, scratch.data());
  return [scratch = std::move(scratch), tasks = std::move(tasks),
          team = std::make_unique<Team>(omp_get_max_threads())] { team->replay(tasks); };
}

}  // namespace

WB_CPU(CudaGraphs, optimized, make);
