// Changes against step 2: the sums of a block of C stay in vector registers for a whole slice of k.
// The operands of the inner loop are packed first: a panel of B, 32 columns wide, becomes one
// stretch of memory, and so do the rows of A that are in use. Still one core.
//
// Predict: with 14 x 32 sums in registers, how many values does the inner loop load per
// multiply-add? Packing copies all of A and B: at 1024 in all three, how often is each copied value
// used?
#include "../shared/packed.h"
#include "sgemm.h"
#include "wb/cpu.h"

namespace {

constexpr wb::i64 kRows = 168;  // of A at once: 180 KiB of the L2 cache; whole blocks of any kernel

auto make(const Sgemm::Args& p) {
  const Kernel kernel = choose_kernel();
  const wb::i64 panels = (p.n + kernel.columns - 1) / kernel.columns;
  return [p, kernel, panels, a = make_buffer(kRows * kPitch),
          b = make_buffer(panels * kernel.columns * kDepth)] {
    if (p.k == 0) std::fill(p.c, p.c + p.m * p.n, 0.0f);
    for (wb::i64 start = 0; start < p.k; start += kDepth) {
      const wb::i64 depth = std::min(kDepth, p.k - start);
      for (wb::i64 j = 0; j < p.n; j += kernel.columns)
        pack_b(p.b + start * p.n + j, p.n, std::min<wb::i64>(kernel.columns, p.n - j),
               kernel.columns, depth, &b[j * depth]);
      for (wb::i64 row = 0; row < p.m; row += kRows) {
        const wb::i64 rows = std::min(kRows, p.m - row);
        pack_a(p.a + row * p.k + start, p.k, rows, depth, a.get());
        multiply(kernel, rows, p.n, depth, a.get(), b.get(), p.c + row * p.n, start > 0);
      }
    }
  };
}

}  // namespace

WB_CPU(Sgemm, step3_packed, make);
