// Samples are handled one at a time, as they arrive: a matrix times a vector for each, on all
// cores. Each call reads all the weights again: 64 MiB at the sizes measured here, more than the
// caches next to the cores hold.
//
// Predict: 32 samples take how many times as long as one? Which share of the arithmetic peak is
// reached?
#include <cblas.h>
#include <omp.h>

#include "batch_size.h"
#include "wb/cpu.h"

namespace {

void run(const BatchSize::Args& p) {
  openblas_set_num_threads(omp_get_max_threads());
  for (wb::i64 i = 0; i < p.batch; ++i)
    cblas_sgemv(CblasRowMajor, CblasNoTrans, p.outputs, p.inputs, 1, p.w, p.inputs,
                p.x + i * p.inputs, 1, 0, p.y + i * p.outputs, 1);
}

}  // namespace

WB_CPU(BatchSize, baseline, run);
