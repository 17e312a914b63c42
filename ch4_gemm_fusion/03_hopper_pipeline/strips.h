// For the .cpp files here: the last step of a tile of C, whose sums ../shared/fused_gemm.h makes.
#pragma once

#include <algorithm>
#include <memory>

#include "../shared/fused_gemm.h"
#include "hopper_pipeline.h"
#include "wb/cpu.h"

constexpr auto kPlain = [](fused::Vector sums, wb::i64) { return sums; };

// `left`: kRows rows of A, `right`: kColumns rows of B, both packed, k deep. The sums are stored at
// row i and column j of C, which is m x n.
template <class T, class Epilogue>
void make_tile(wb::i64 m, wb::i64 n, wb::i64 k, const float* left, const float* right, wb::i64 i,
               wb::i64 j, const Epilogue& epilogue, T* c) {
  alignas(64) float out[fused::kRows * fused::kColumns];
  fused::tile(k, left, right, i, j, epilogue, out);
  for (wb::i64 r = 0; r < std::min<wb::i64>(fused::kRows, m - i); ++r)
    for (wb::i64 s = 0; s < std::min<wb::i64>(fused::kColumns, n - j); ++s)
      c[(i + r) * n + j + s] = static_cast<T>(out[r * fused::kColumns + s]);
}

inline std::unique_ptr<float[]> floats(wb::i64 count) {
  return std::unique_ptr<float[]>(new float[count]);
}
