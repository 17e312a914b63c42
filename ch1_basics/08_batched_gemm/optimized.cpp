// Against the baseline: the cores share the batch, not the matrix. Each takes whole products and
// does them alone, so threads start once and wait once, and every matrix stays in one core's cache.
//
// Predict: at most how much can this gain on your machine, at 64^3 and at 256^3?
#include <cblas.h>

#include "batched_gemm.h"
#include "wb/cpu.h"

namespace {

void run(const BatchedGemm::Args& p) {
  openblas_set_num_threads(1);  // set each time: the baseline sets another number
#pragma omp parallel for schedule(static)
  for (wb::i64 b = 0; b < p.batch; ++b)
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, p.m, p.n, p.k, 1, p.a + b * p.m * p.k,
                p.k, p.b + b * p.k * p.n, p.n, 0, p.c + b * p.m * p.n, p.n);
}

}  // namespace

WB_CPU(BatchedGemm, optimized, run);
