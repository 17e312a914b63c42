// The exercise, solved: a tile's sums are masked in registers, and its rows are added up in a
// vector, which goes to the sums of this core. After the product only as many rows of sums are left
// as there are cores. The rows of h are far apart, so the next tile's are asked for ahead of time.
#include <string_view>

#include "../shared/fused_gemm.h"
#include "linear_relu_backward.h"
#include "wb/cpu.h"

namespace {

auto make(const LinearReluBackward::Args& p) {
  if (std::string_view(p.dtype) != "fp32") throw wb::Unsupported("fp32 alone");
  const wb::i64 m = p.m, n = p.n;
  const auto* h = static_cast<const float*>(p.h);
  auto *dz = static_cast<float*>(p.dz), *db = static_cast<float*>(p.db);
  const wb::i64 width = fused::padded(n), threads = omp_get_max_threads();
  const std::shared_ptr<float[]> sums(new float[threads * width]);
  const auto epilogue = [=](fused::Vector(&sum)[fused::kRows][2], wb::i64 row, wb::i64 column) {
    fused::Vector total[2] = {};
#pragma GCC unroll 12
    for (int r = 0; r < fused::kRows; ++r)
      for (int half = 0; half < 2; ++half) {
        const wb::i64 first = column + half * fused::kLanes;
        const float* signs = h + std::min(row + r, m - 1) * n;  // rows beyond m are zeros anyway
        fused::Vector v{};
        if (first + fused::kLanes <= n)
          v = fused::load(signs + first);
        else
          for (wb::i64 j = first; j < n; ++j) v[j - first] = signs[j];
        sum[r][half] = v > 0 ? sum[r][half] : fused::Vector{};
        total[half] += sum[r][half];
        __builtin_prefetch(h + std::min(row + r + fused::kRows, m - 1) * n +
                           std::min(first, n - 1));
      }
    float* const mine = &sums[omp_get_thread_num() * width + column];
    for (int half = 0; half < 2; ++half) {
      const fused::Vector all = fused::load(mine + half * fused::kLanes) + total[half];
      std::memcpy(mine + half * fused::kLanes, &all, sizeof all);
    }
  };
  return [=, multiply = fused::gemm<true>(m, n, p.k, static_cast<const float*>(p.dy),
                                          static_cast<const float*>(p.w), dz, epilogue)] {
    std::fill(sums.get(), sums.get() + threads * width, 0.0f);
    multiply();
    std::fill(db, db + n, 0.0f);
    for (wb::i64 t = 0; t < threads; ++t)
      for (wb::i64 j = 0; j < n; ++j) db[j] += sums[t * width + j];
  };
}

}  // namespace

WB_CPU(LinearReluBackward, solution, make);
