// The bug hunt, solved: an array of `elements` values ends at element `elements` - 1. One thread of
// the grid read one element more. Nothing used that value, so no answer was wrong.
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
    if (i + step < elements) next = x[i + step];
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

WB_CUDA(Coalescing, solution, run);
