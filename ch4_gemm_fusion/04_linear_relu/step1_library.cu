// Against the baseline: nothing is fused. The library makes x W^T, and a second kernel goes over y
// in place: it adds the bias and takes the maximum with 0, 16 bytes per load and store where rows
// allow.
//
// Predict: the second kernel moves 2 m n numbers. At 8192 x 4096 in bf16, what share of the time?
#include "../shared/cublaslt.cuh"
#include "types.cuh"

namespace {

// Grid: x for the columns, y for the rows, which it takes in turn.
template <int width, class T> __global__ void bias_relu(wb::i64 m, int n, const T* bias, T* y) {
  struct alignas(width * sizeof(T)) Pack {
    T value[width];
  };
  const int column = (blockIdx.x * blockDim.x + threadIdx.x) * width;
  if (column >= n) return;
  const Pack b = *reinterpret_cast<const Pack*>(bias + column);
  for (wb::i64 row = blockIdx.y; row < m; row += gridDim.y) {
    Pack* const at = reinterpret_cast<Pack*>(y + row * n + column);
    Pack v = *at;
    for (int i = 0; i < width; ++i)
      v.value[i] = wb::from_float<T>(fmaxf(wb::to_float(v.value[i]) + wb::to_float(b.value[i]), 0));
    *at = v;
  }
}

template <int width, class T>
void launch(wb::i64 m, wb::i64 n, const T* bias, T* y, cudaStream_t stream) {
  constexpr int kBlock = 128;
  const dim3 grid((n / width + kBlock - 1) / kBlock, std::min<wb::i64>(m, 4096));
  bias_relu<width><<<grid, kBlock, 0, stream>>>(m, n, bias, y);
  WB_CHECK(cudaGetLastError());
}

auto make(const LinearRelu::Args& p) {
  const auto multiply = fastest({.m = p.m,
                                 .n = p.n,
                                 .k = p.k,
                                 .type = cuda_type(p.dtype),
                                 .a = p.x,
                                 .b = p.w,
                                 .b_transposed = true,  // W is n x k
                                 .c = p.y});
  return [=](cudaStream_t stream) {
    multiply(stream);
    if (p.m * p.n == 0) return;
    with_types(p, [&]<class T>(const T*, const T*, const T* bias, T* y) {
      constexpr int kWide = 16 / sizeof(T);
      p.n % kWide == 0 ? launch<kWide>(p.m, p.n, bias, y, stream)
                       : launch<1>(p.m, p.n, bias, y, stream);
    });
  };
}

}  // namespace

WB_CUDA(LinearRelu, step1_library, make);
