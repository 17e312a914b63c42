// A product by the library, then a pass over C.
//
// Predict: 2048 x 2048 in fp32 are 17 MB. How long does the pass take at your bandwidth, and how
// long the product with k = 64, at your fp32 peak?
#include <cblas.h>
#include <omp.h>

#include <string_view>

#include "gemm_leaky_relu.h"
#include "wb/cpu.h"

namespace {

void run(const GemmLeakyRelu::Args& p) {
  if (p.m * p.n == 0) return;
  openblas_set_num_threads(omp_get_max_threads());
  auto* c = static_cast<float*>(p.c);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, p.m, p.n, p.k, 1,
              static_cast<const float*>(p.a), p.k, static_cast<const float*>(p.b), p.k, 0, c, p.n);
#pragma omp parallel for
  for (wb::i64 i = 0; i < p.m * p.n; ++i) c[i] = GemmLeakyRelu::leaky_relu(c[i]);
}

auto make(const GemmLeakyRelu::Args& p) {
  if (std::string_view(p.dtype) != "fp32") throw wb::Unsupported("OpenBLAS multiplies fp32");
  return [p] { run(p); };
}

}  // namespace

WB_CPU(GemmLeakyRelu, baseline, make);
