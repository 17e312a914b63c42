// Against the baseline: the same library and the same loop, but each core makes strips of C that
// fit into its second-level cache. The loop over a strip finds it where the product has left it.
//
// Predict: what do you save, and what do you pay? The library packs all of B for each strip.
#include <cblas.h>
#include <omp.h>

#include <string_view>

#include "gemm_leaky_relu.h"
#include "wb/cpu.h"

namespace {

void run(const GemmLeakyRelu::Args& p) {
  constexpr wb::i64 kBytes = 512 << 10;
  if (p.m * p.n == 0) return;
  openblas_set_num_threads(1);  // a strip is one core's
  const wb::i64 height = std::max<wb::i64>(1, kBytes / (4 * p.n));
  const auto *a = static_cast<const float*>(p.a), *b = static_cast<const float*>(p.b);
#pragma omp parallel for schedule(dynamic)
  for (wb::i64 row = 0; row < p.m; row += height) {
    const wb::i64 rows = std::min(height, p.m - row);
    float* const c = static_cast<float*>(p.c) + row * p.n;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, p.n, p.k, 1, a + row * p.k, p.k, b,
                p.k, 0, c, p.n);
    for (wb::i64 i = 0; i < rows * p.n; ++i) c[i] = GemmLeakyRelu::leaky_relu(c[i]);
  }
}

auto make(const GemmLeakyRelu::Args& p) {
  if (std::string_view(p.dtype) != "fp32") throw wb::Unsupported("OpenBLAS multiplies fp32");
  return [p] { run(p); };
}

}  // namespace

WB_CPU(GemmLeakyRelu, step1_strips, make);
