// One library call per matrix. The library may use all cores, but only inside a call: it wakes its
// threads, shares out one small product, and waits for the last of them, 40 times over. Below a
// certain size it does not even try (OpenBLAS: up to 64^3 it stays on one core).
//
// Predict: at which of the three shapes do the cores help, and by how much?
#include <cblas.h>
#include <omp.h>

#include "batched_gemm.h"
#include "wb/cpu.h"

namespace {

void run(const BatchedGemm::Args& p) {
  openblas_set_num_threads(omp_get_max_threads());
  for (wb::i64 b = 0; b < p.batch; ++b)
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, p.m, p.n, p.k, 1, p.a + b * p.m * p.k,
                p.k, p.b + b * p.k * p.n, p.n, 0, p.c + b * p.m * p.n, p.n);
}

}  // namespace

WB_CPU(BatchedGemm, baseline, run);
