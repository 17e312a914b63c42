// Against the baseline: numbers are packed ahead of the products, once. All cores pack A together,
// in a pass of its own. Then each core takes panels of B: it packs one and multiplies it by all the
// strips of A. A packed number of B serves m sums instead of 12, one of A serves n instead of 32.
//
// Predict: packed A takes 4 MB at 1024 x 1024. Where does a core find it, and how fast must that
// be?
#include "strips.h"

namespace {

template <class T>
void multiply(wb::i64 m, wb::i64 n, wb::i64 k, const T* a, const T* b, float* packed, T* c) {
#pragma omp parallel
  {
#pragma omp for
    for (wb::i64 i = 0; i < m; i += fused::kRows)
      fused::pack<fused::kRows>(a + i * k, m - i, k, k, 1, packed + i * k);
    const auto right = floats(fused::kColumns * k);
#pragma omp for schedule(dynamic)
    for (wb::i64 j = 0; j < n; j += fused::kColumns) {
      fused::pack<fused::kColumns>(b + j * k, n - j, k, k, 1, right.get());
      for (wb::i64 i = 0; i < m; i += fused::kRows)
        make_tile(m, n, k, packed + i * k, right.get(), i, j, kPlain, c);
    }
  }
}

auto make(const TensorCores::Args& p) {
  const std::shared_ptr<float[]> packed(new float[(p.m + fused::kRows) * p.k]);
  return [p, packed] {
    wb::with_dtype(p.dtype, [&](auto zero) {
      using T = decltype(zero);
      multiply(p.m, p.n, p.k, static_cast<const T*>(p.a), static_cast<const T*>(p.b), packed.get(),
               static_cast<T*>(p.c));
    });
  };
}

}  // namespace

WB_CPU(TensorCores, optimized, make);
