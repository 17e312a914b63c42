// The product with a factor for each row of C (RowScaled). It is right, and slow: a core packs a
// strip of A and a panel of B for each tile of C, so most of its instructions are copies.
//
// TODO 1: count: how often is a number of B packed here, and how often one of A?
// TODO 2: pack B ahead, all of it, in a parallel loop before the products. How many floats is that?
// TODO 3: exchange the loops over i and j, so that a core packs a strip of A once, and not per
// tile.
// Goal: at most 2 times as long as optimized at m=1024,n=1024,k=1024,dtype=bf16
// Hints are in README.md.
#include "strips.h"

namespace {

template <class T>
void multiply(wb::i64 m, wb::i64 n, wb::i64 k, const T* a, const T* b, const float* scale, T* c) {
  const auto scaled = [&](fused::Vector(&sum)[fused::kRows][2], wb::i64 row, wb::i64) {
    for (wb::i64 r = 0; r < std::min<wb::i64>(fused::kRows, m - row); ++r)
      for (fused::Vector& half : sum[r]) half *= scale[row + r];
  };
#pragma omp parallel
  {
    const auto left = floats(fused::kRows * k), right = floats(fused::kColumns * k);
#pragma omp for collapse(2)
    for (wb::i64 j = 0; j < n; j += fused::kColumns)
      for (wb::i64 i = 0; i < m; i += fused::kRows) {
        fused::pack<fused::kRows>(a + i * k, m - i, k, k, 1, left.get());
        fused::pack<fused::kColumns>(b + j * k, n - j, k, k, 1, right.get());
        make_tile(m, n, k, left.get(), right.get(), i, j, scaled, c);
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

WB_CPU(RowScaled, exercise, run);
