// Changes against step 3: all cores. They pack B together, and then each takes stretches of rows of
// A, packs these for itself and multiplies them, until none are left.
//
// Predict: B's packed slice is read by all cores, C is written by one. Which cache must hold what?
// What would you lose if each core took half of k instead?
#include <omp.h>

#include "../shared/packed.h"
#include "sgemm.h"
#include "wb/cpu.h"

namespace {

constexpr wb::i64 kRows = 168;

auto make(const Sgemm::Args& p) {
  const Kernel kernel = choose_kernel();
  const wb::i64 panels = (p.n + kernel.columns - 1) / kernel.columns;
  const auto own = kRows * kPitch;
  return [p, kernel, panels, own, a = make_buffer(own * omp_get_max_threads()),
          b = make_buffer(panels * kernel.columns * kDepth)] {
    if (p.k == 0) std::fill(p.c, p.c + p.m * p.n, 0.0f);
#pragma omp parallel
    for (wb::i64 start = 0; start < p.k; start += kDepth) {
      const wb::i64 depth = std::min(kDepth, p.k - start);
#pragma omp for schedule(static)
      for (wb::i64 panel = 0; panel < panels; ++panel) {
        const wb::i64 j = panel * kernel.columns;
        pack_b(p.b + start * p.n + j, p.n, std::min<wb::i64>(kernel.columns, p.n - j),
               kernel.columns, depth, &b[j * depth]);
      }
#pragma omp for schedule(dynamic)
      for (wb::i64 row = 0; row < p.m; row += kRows) {
        const wb::i64 rows = std::min(kRows, p.m - row);
        float* mine = &a[own * omp_get_thread_num()];
        pack_a(p.a + row * p.k + start, p.k, rows, depth, mine);
        multiply(kernel, rows, p.n, depth, mine, b.get(), p.c + row * p.n, start > 0);
      }
    }
  };
}

}  // namespace

WB_CPU(Sgemm, optimized, make);
