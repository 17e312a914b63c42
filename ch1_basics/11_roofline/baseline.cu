// Each operation as one writes it first: one thread per element of the result.
//
// Predict: where is each operation on the roofline, by the header's table alone? Which are below
// the slope of your GPU, and which below the flat part? Which of them will come closest to its
// roof?
#include "roofline.h"
#include "wb/cuda.h"

namespace {

__global__ void add(wb::i64 n, const float* a, const float* b, float* c) {
  const wb::i64 i = static_cast<wb::i64>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

__global__ void gemv(wb::i64 m, wb::i64 n, const float* a, const float* b, float* c) {
  const wb::i64 row = static_cast<wb::i64>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= m) return;
  float sum = 0;
  for (wb::i64 j = 0; j < n; ++j) sum += a[row * n + j] * b[j];
  c[row] = sum;
}

__global__ void five_points(wb::i64 m, wb::i64 n, const float* a, float* c) {
  const wb::i64 row = static_cast<wb::i64>(blockIdx.y) * blockDim.y + threadIdx.y;
  const wb::i64 column = static_cast<wb::i64>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  const wb::i64 i = row * n + column;
  const float up = row > 0 ? a[i - n] : 0, down = row + 1 < m ? a[i + n] : 0;
  const float left = column > 0 ? a[i - 1] : 0, right = column + 1 < n ? a[i + 1] : 0;
  c[i] = stencil(a[i], up, down, left, right);
}

__global__ void matmul(wb::i64 m, wb::i64 n, wb::i64 k, const float* a, const float* b, float* c) {
  const wb::i64 row = static_cast<wb::i64>(blockIdx.x) * blockDim.y + threadIdx.y;
  const wb::i64 column = static_cast<wb::i64>(blockIdx.y) * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (wb::i64 l = 0; l < k; ++l) sum += a[row * k + l] * b[l * n + column];
  c[row * n + column] = sum;
}

unsigned blocks(wb::i64 elements, int threads) { return (elements + threads - 1) / threads; }

void run(const Roofline::Args& p, cudaStream_t stream) {
  if (p.m * p.n == 0 && p.op != Op::gemv) return;
  const dim3 square(16, 16);
  switch (p.op) {
    case Op::add: add<<<blocks(p.n, 256), 256, 0, stream>>>(p.n, p.a, p.b, p.c); break;
    case Op::gemv: gemv<<<blocks(p.m, 256), 256, 0, stream>>>(p.m, p.n, p.a, p.b, p.c); break;
    case Op::stencil:
      five_points<<<dim3(blocks(p.n, 32), blocks(p.m, 8)), dim3(32, 8), 0, stream>>>(p.m, p.n, p.a,
                                                                                     p.c);
      break;
    case Op::matmul:
      matmul<<<dim3(blocks(p.m, 16), blocks(p.n, 16)), square, 0, stream>>>(p.m, p.n, p.k, p.a, p.b,
                                                                            p.c);
  }
  WB_CHECK(cudaGetLastError());
}

}  // namespace

WB_CUDA(Roofline, baseline, run);
