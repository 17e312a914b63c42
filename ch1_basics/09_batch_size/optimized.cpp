// Against step 1: all samples go through together, whatever their number. A single sample stays a
// matrix times a vector.
//
// Predict: from which batch on does a larger one gain no more? `./workbook peaks` knows the
// arithmetic peak and the memory bandwidth: 2 * batch operations for each weight of 4 bytes.
#include <cblas.h>
#include <omp.h>

#include "batch_size.h"
#include "wb/cpu.h"

namespace {

void run(const BatchSize::Args& p) {
  openblas_set_num_threads(omp_get_max_threads());
  if (p.batch == 1)
    cblas_sgemv(CblasRowMajor, CblasNoTrans, p.outputs, p.inputs, 1, p.w, p.inputs, p.x, 1, 0, p.y,
                1);
  else if (p.batch > 1)
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, p.batch, p.outputs, p.inputs, 1, p.x,
                p.inputs, p.w, p.inputs, 0, p.y, p.outputs);
}

}  // namespace

WB_CPU(BatchSize, optimized, run);
