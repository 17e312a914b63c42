// Against the baseline: no temporaries. The product goes to dz, and one pass masks it in place and
// sums its columns (pass.h).
//
// Predict: what does the pass still read and write?
#include <cblas.h>

#include <string_view>

#include "pass.h"
#include "wb/cpu.h"

namespace {

void run(const LinearReluBackward::Args& p) {
  auto *dz = static_cast<float*>(p.dz), *db = static_cast<float*>(p.db);
  openblas_set_num_threads(omp_get_max_threads());
  if (p.m * p.n > 0)
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, p.m, p.n, p.k, 1,
                static_cast<const float*>(p.dy), std::max<wb::i64>(p.k, 1),
                static_cast<const float*>(p.w), p.n, 0, dz, p.n);
  mask_and_sum(p.m, p.n, static_cast<const float*>(p.h), dz, db);
}

auto make(const LinearReluBackward::Args& p) {
  if (std::string_view(p.dtype) != "fp32") throw wb::Unsupported("OpenBLAS multiplies fp32");
  return [p] { run(p); };
}

}  // namespace

WB_CPU(LinearReluBackward, step1_in_place, make);
