// A CPU has no copy engine: what a GPU's TMA brings, a core copies with its own instructions. Here
// it does so when it needs the numbers: before each tile of C it *packs* a strip of A and a panel
// of B, which means that it widens them to fp32 and writes them in the order of their use. Then it
// multiplies, with 24 vectors of sums in registers (../shared/fused_gemm.h).
//
// Predict: for a tile of 12 x 32 sums a core packs 44 numbers per step along k and makes 384
// multiply-adds, 32 per cycle or so. What does it do most of the time?
#include "strips.h"

namespace {

template <class T> void multiply(wb::i64 m, wb::i64 n, wb::i64 k, const T* a, const T* b, T* c) {
#pragma omp parallel
  {
    const auto left = floats(fused::kRows * k), right = floats(fused::kColumns * k);
#pragma omp for collapse(2)
    for (wb::i64 j = 0; j < n; j += fused::kColumns)
      for (wb::i64 i = 0; i < m; i += fused::kRows) {
        fused::pack<fused::kRows>(a + i * k, m - i, k, k, 1, left.get());
        fused::pack<fused::kColumns>(b + j * k, n - j, k, k, 1, right.get());
        make_tile(m, n, k, left.get(), right.get(), i, j, kPlain, c);
      }
  }
}

void run(const TensorCores::Args& p) {
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = decltype(zero);
    multiply(p.m, p.n, p.k, static_cast<const T*>(p.a), static_cast<const T*>(p.b),
             static_cast<T*>(p.c));
  });
}

}  // namespace

WB_CPU(TensorCores, baseline, run);
WB_EXERCISE(RowScaled);
