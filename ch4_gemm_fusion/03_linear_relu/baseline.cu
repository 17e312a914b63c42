// The kernel that fusion suggests: one thread per output walks along its row of x and its row of W,
// adds the bias, takes the maximum with 0 and stores. y is written once and never read, so nothing
// is saved on memory that this could still save. But each multiplication loads two numbers.
//
// Predict: how many times as long does it take as a library's product with a second kernel for bias
// and ReLU, which reads and writes all of y once more?
#include "types.cuh"

namespace {

template <class T>
__global__ void linear_relu(int m, int n, int k, const T* x, const T* w, const T* bias, T* y) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int l = 0; l < k; ++l)
    sum += wb::to_float(x[wb::i64{row} * k + l]) * wb::to_float(w[wb::i64{column} * k + l]);
  y[wb::i64{row} * n + column] = wb::from_float<T>(fmaxf(sum + wb::to_float(bias[column]), 0));
}

void run(const LinearRelu::Args& p, cudaStream_t stream) {
  const dim3 block(16, 16);
  const dim3 grid((p.n + block.x - 1) / block.x, (p.m + block.y - 1) / block.y);
  if (grid.x * grid.y == 0) return;
  with_types(p, [&](auto x, auto w, auto bias, auto y) {
    linear_relu<<<grid, block, 0, stream>>>(p.m, p.n, p.k, x, w, bias, y);
  });
  WB_CHECK(cudaGetLastError());
}

}  // namespace

WB_CUDA(LinearRelu, baseline, run);
WB_EXERCISE(LinearClipped);
