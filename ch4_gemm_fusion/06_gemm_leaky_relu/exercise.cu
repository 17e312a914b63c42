// Bug hunt: *split-k*. Where m and n are small and k is large, a grid over C alone leaves most
// multiprocessors idle, so blockIdx.z takes slices of k, and atomics add the slices up in fp32. A
// second kernel rounds. It is wrong, and for some sizes it is right:
//
//   ./workbook test 06_gemm_leaky_relu/exercise
//
// TODO: there are two mistakes. k = 1 shows one of them; the other is why fusing is not always
//       allowed. Try both by hand: slices with the sums 3 and -1.
// Goal: right at every size
// Hints are in README.md.
#include <cublas_v2.h>

#include "types.cuh"

namespace {

constexpr int kSlices = 8;

template <class T>
__global__ void multiply(int m, int n, int k, const T* a, const T* b, float* sums) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  const int slice = k / kSlices, first = blockIdx.z * slice;
  float sum = 0;
  for (int l = first; l < first + slice; ++l)
    sum += wb::to_float(a[wb::i64{row} * k + l]) * wb::to_float(b[wb::i64{column} * k + l]);
  atomicAdd(&sums[wb::i64{row} * n + column], leaky_relu(sum));  // while it is in a register
}

template <class T> __global__ void round_sums(const float* sums, T* c, wb::i64 count) {
  const wb::i64 i = wb::i64{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) c[i] = wb::from_float<T>(sums[i]);
}

auto make(const GemmLeakyRelu::Args& p) {
  const wb::i64 count = p.m * p.n;
  return [=, sums = wb::make_device_array<float>(count)](cudaStream_t stream) {
    if (count == 0) return;
    with_types(p, [&](auto a, auto b, auto c) {
      const dim3 block(32, 8), grid = wb::grid((p.n + 31) / 32, (p.m + 7) / 8, kSlices);
      WB_CHECK(cudaMemsetAsync(sums.get(), 0, count * sizeof(float), stream));
      multiply<<<grid, block, 0, stream>>>(p.m, p.n, p.k, a, b, sums.get());
      round_sums<<<(count + 255) / 256, 256, 0, stream>>>(sums.get(), c, count);
      WB_CHECK(cudaGetLastError());
    });
  };
}

}  // namespace

WB_CUDA(GemmLeakyRelu, exercise, make);
