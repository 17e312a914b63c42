// The layer by hand: every value of y is the product of a row of weights and a sample. It is right,
// uses all cores and vector instructions, and each sample reads all the weights again.
//
// TODO 1: start the threads once, and let each go through all samples with the rows it has read.
// TODO 2: make the values of, say, 4 samples and 2 rows at the same time. A weight that was loaded
//         serves 4 samples, and the sums stay in registers.
// Goal: 2 times baseline at outputs=4096,inputs=4096,batch=32
// Hints are in README.md.
#include "batch_size.h"
#include "wb/cpu.h"

namespace {

float dot(const float* a, const float* b, wb::i64 n) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (wb::i64 i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

void run(const BatchSize::Args& p) {
  for (wb::i64 sample = 0; sample < p.batch; ++sample) {
#pragma omp parallel for schedule(static)
    for (wb::i64 row = 0; row < p.outputs; ++row)
      p.y[sample * p.outputs + row] = dot(p.w + row * p.inputs, p.x + sample * p.inputs, p.inputs);
  }
}

}  // namespace

WB_CPU(BatchSize, exercise, run);
