// The exercise, solved: strips of y of 512 KiB. When the library returns, a strip is in the cache
// of the core that made it, so one loop for bias and ReLU reads it from there.
#include <cblas.h>
#include <omp.h>

#include <string_view>

#include "linear_relu.h"
#include "wb/cpu.h"

namespace {

void run(const LinearRelu::Args& p) {
  if (p.m * p.n == 0) return;
  openblas_set_num_threads(1);
  const auto *x = static_cast<const float*>(p.x), *w = static_cast<const float*>(p.w);
  const auto* bias = static_cast<const float*>(p.bias);
  const wb::i64 height = std::max<wb::i64>(1, (512 << 10) / (4 * p.n));
#pragma omp parallel for schedule(dynamic)
  for (wb::i64 first = 0; first < p.m; first += height) {
    const wb::i64 rows = std::min(height, p.m - first);
    float* const y = static_cast<float*>(p.y) + first * p.n;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, p.n, p.k, 1, x + first * p.k, p.k, w,
                p.k, 0, y, p.n);
    for (wb::i64 row = 0; row < rows; ++row)
      for (wb::i64 j = 0; j < p.n; ++j)
        y[row * p.n + j] = std::max(y[row * p.n + j] + bias[j], 0.0f);
  }
}

auto make(const LinearRelu::Args& p) {
  if (std::string_view(p.dtype) != "fp32") throw wb::Unsupported("OpenBLAS multiplies fp32");
  return [p] { run(p); };
}

}  // namespace

WB_CPU(LinearRelu, solution, make);
