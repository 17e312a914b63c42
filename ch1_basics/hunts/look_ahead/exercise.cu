// Bug hunt: a few blocks walk along the table. Each thread loads its next element before it
// multiplies the one that it has, so that a load is always in flight. A GPU gives right answers in
// every test, and compute-sanitizer is silent where another array comes next in memory.
//
// TODO: one line is wrong. Find it: ./workbook check look_ahead --backend=simt
// Goal: right at every size
// Hints are in README.md.
#include "../../01_coalescing/coalescing.h"
#include "wb/cuda.h"

namespace {

constexpr int kThreads = 128, kBlocks = 8;

__global__ void kernel(wb::i64 elements, wb::i64 columns, const float* weight, const float* x,
                       float* y) {
  constexpr wb::i64 step = kBlocks * kThreads;
  wb::i64 i = static_cast<wb::i64>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= elements) return;
  float next = x[i];
  while (i < elements) {
    const float now = next;
    if (i + step <= elements) next = x[i + step];
    y[i] = weight[i % columns] * now;
    i += step;
  }
}

void run(const Coalescing::Args& p, cudaStream_t stream) {
  const wb::i64 elements = p.rows * p.columns;
  if (elements == 0) return;
  kernel<<<kBlocks, kThreads, 0, stream>>>(elements, p.columns, p.weight, p.x, p.y);
}

}  // namespace

WB_CUDA(Coalescing, exercise, run);
