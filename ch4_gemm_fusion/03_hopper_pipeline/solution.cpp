// The exercise, solved: all cores pack B together, before the products. Then each core takes strips
// of A: it packs one, while that is in its first cache multiplies it by all the panels of B, and
// goes on to the next.
#include "strips.h"

namespace {

template <class T>
void multiply(wb::i64 m, wb::i64 n, wb::i64 k, const T* a, const T* b, const float* scale, T* c) {
  const auto scaled = [&](fused::Vector(&sum)[fused::kRows][2], wb::i64 row, wb::i64) {
    for (wb::i64 r = 0; r < std::min<wb::i64>(fused::kRows, m - row); ++r)
      for (fused::Vector& half : sum[r]) half *= scale[row + r];
  };
  const auto packed = floats(fused::padded(n) * k);
#pragma omp parallel
  {
#pragma omp for
    for (wb::i64 j = 0; j < n; j += fused::kColumns)
      fused::pack<fused::kColumns>(b + j * k, n - j, k, k, 1, &packed[j * k]);
    const auto left = floats(fused::kRows * k);
#pragma omp for schedule(dynamic)
    for (wb::i64 i = 0; i < m; i += fused::kRows) {
      fused::pack<fused::kRows>(a + i * k, m - i, k, k, 1, left.get());
      for (wb::i64 j = 0; j < n; j += fused::kColumns)
        make_tile(m, n, k, left.get(), &packed[j * k], i, j, scaled, c);
    }
  }
}

void run(const RowScaled::Args& p) {
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = decltype(zero);
    multiply(p.m, p.n, p.k, static_cast<const T*>(p.a), static_cast<const T*>(p.b), p.scale,
             static_cast<T*>(p.c));
  });
}

}  // namespace

WB_CPU(RowScaled, solution, run);
