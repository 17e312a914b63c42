// Against step 1: the product is ours (../shared/fused_gemm.h). When a tile's sums are whole they
// are in registers. There the bits of the mask say which of them stay, and a core adds its rows to
// separate sums, one load and one store for twelve rows. dz is written once and never read.
//
// Predict: dz is not read, h is not read: which share of step 1's bytes is left?
#include "../shared/fused_gemm.h"
#include "linear_relu_backward.h"
#include "wb/cpu.h"

namespace {

using Bits [[gnu::vector_size(4 * fused::kLanes)]] = int;

template <class T> std::function<void()> make_backward(const LinearReluBackward::Args& p) {
  const wb::i64 m = p.m, n = p.n, width = fused::padded(n), threads = omp_get_max_threads();
  const wb::i64 words = LinearReluBackward::row_words(n);
  const std::shared_ptr<float[]> sums(new float[threads * width]);  // a row for each core
  Bits lane;
  for (int i = 0; i < fused::kLanes; ++i) lane[i] = 1 << i;
  const auto epilogue = [=, bits = p.bits](fused::Vector(&sum)[fused::kRows][2], wb::i64 row,
                                           wb::i64 column) {
    float* mine = &sums[omp_get_thread_num() * width + column];
    for (int half = 0; half < 2; ++half, mine += fused::kLanes) {
      const wb::i64 first = column + half * fused::kLanes;
      fused::Vector total = fused::load(mine);
#pragma GCC unroll 12
      for (int r = 0; r < fused::kRows; ++r) {
        const wb::i64 there = std::min(row + r, m - 1);  // rows beyond m are zeros anyway
        const Bits keep = lane & static_cast<int>(bits[there * words + first / 32] >> first % 32);
        sum[r][half] = keep != 0 ? sum[r][half] : fused::Vector{};
        total += sum[r][half];
      }
      std::memcpy(mine, &total, sizeof total);
    }
  };
  const auto multiply =
      fused::gemm<true>(m, n, p.k, static_cast<const T*>(p.dy), static_cast<const T*>(p.w),
                        static_cast<T*>(p.dz), epilogue);
  return [=, db = static_cast<T*>(p.db)] {
    std::fill(sums.get(), sums.get() + threads * width, 0.0f);
    multiply();
    for (wb::i64 j = 0; j < n; ++j) {
      float all = 0;
      for (wb::i64 t = 0; t < threads; ++t) all += sums[t * width + j];
      db[j] = static_cast<T>(all);
    }
  };
}

auto make(const LinearReluBackward::Args& p) {
  return wb::with_dtype(p.dtype, [&](auto zero) { return make_backward<decltype(zero)>(p); });
}

}  // namespace

WB_CPU(LinearReluBackward, optimized, make);
