// One thread per element: what the hunted kernel has to compute.
#include "../../01_coalescing/coalescing.h"
#include "wb/cuda.h"

namespace {

__global__ void kernel(wb::i64 elements, wb::i64 columns, const float* weight, const float* x,
                       float* y) {
  const wb::i64 i = static_cast<wb::i64>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < elements) y[i] = weight[i % columns] * x[i];
}

void run(const Coalescing::Args& p, cudaStream_t stream) {
  const wb::i64 elements = p.rows * p.columns;
  if (elements == 0) return;
  kernel<<<(elements + 255) / 256, 256, 0, stream>>>(elements, p.columns, p.weight, p.x, p.y);
}

}  // namespace

WB_CUDA(Coalescing, baseline, run);
