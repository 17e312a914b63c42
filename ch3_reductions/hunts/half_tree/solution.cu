// The bug hunt, solved: every thread of the block reaches every barrier, also one that has nothing
// to add.
#include "../rows.h"
#include "wb/cuda.h"

namespace {

constexpr int kThreads = 256, kWarp = 32;

__global__ void kernel(wb::i64 columns, const float* x, float* y) {
  __shared__ float part[kThreads];
  const int thread = threadIdx.x;
  const float* row = x + blockIdx.x * columns;
  float sum = 0;
  for (wb::i64 column = thread; column < columns; column += kThreads) sum += row[column];
  part[thread] = sum;
  __syncthreads();
  for (int half = kThreads / 2; half >= kWarp; half /= 2) {
    if (thread < half) part[thread] += part[thread + half];
    __syncthreads();
  }
  if (thread >= kWarp) return;
  sum = part[thread];
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    sum += __shfl_down_sync(0xFFFF'FFFFu, sum, distance);
  if (thread == 0) y[blockIdx.x] = sum;
}

void run(const Rows::Args& p, cudaStream_t stream) {
  if (p.rows > 0) kernel<<<p.rows, kThreads, 0, stream>>>(p.columns, p.x, p.y);
}

}  // namespace

WB_CUDA(Rows, solution, run);
