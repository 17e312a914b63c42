// Three steps, as a framework without fusion takes them: a product by the library, a loop that adds
// the bias, a loop that takes the ReLU. Each loop reads all of y from memory and writes it back.
// With few inputs and many outputs that takes longer than the product.
//
// TODO: let a core make a strip of rows, small enough for its second-level cache, from product to
//       ReLU before it goes on. The library then has to stay on one core; it takes any number of
//       rows.
// Goal: 1.1 times step1_library at m=2048,n=4096,k=64,dtype=fp32
// Hints are in README.md.
#include <cblas.h>
#include <omp.h>

#include <string_view>

#include "linear_relu.h"
#include "wb/cpu.h"

namespace {

void run(const LinearRelu::Args& p) {
  if (p.m * p.n == 0) return;
  openblas_set_num_threads(omp_get_max_threads());
  const auto *x = static_cast<const float*>(p.x), *w = static_cast<const float*>(p.w);
  const auto* bias = static_cast<const float*>(p.bias);
  auto* y = static_cast<float*>(p.y);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, p.m, p.n, p.k, 1, x, p.k, w, p.k, 0, y, p.n);
#pragma omp parallel for
  for (wb::i64 row = 0; row < p.m; ++row)
    for (wb::i64 j = 0; j < p.n; ++j) y[row * p.n + j] += bias[j];
#pragma omp parallel for
  for (wb::i64 i = 0; i < p.m * p.n; ++i) y[i] = std::max(y[i], 0.0f);
}

auto make(const LinearRelu::Args& p) {
  if (std::string_view(p.dtype) != "fp32") throw wb::Unsupported("OpenBLAS multiplies fp32");
  return [p] { run(p); };
}

}  // namespace

WB_CPU(LinearRelu, exercise, make);
