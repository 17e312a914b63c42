// Changes against baseline: all items of a thread are loaded before the first is stored. The
// compiler has to know their number then, because they wait in registers.
//
// Predict: 64 warps of 32 lanes with one load of 4 bytes each are 8 KiB in flight per
// multiprocessor. At how many items do you expect the curve to flatten? And with 4 items, how small
// may the blocks get?
#include "launch.cuh"

namespace {

template <int kItems>
__global__ void __launch_bounds__(1024) scale(wb::i64 n, float a, const float* x, float* y) {
  const wb::i64 tile = static_cast<wb::i64>(kItems) * blockDim.x;
  for (wb::i64 start = blockIdx.x * tile; start < n; start += gridDim.x * tile) {
    const wb::i64 first = start + threadIdx.x;
    float value[kItems];
#pragma unroll
    for (int item = 0; item < kItems; ++item)
      if (first + item * blockDim.x < n) value[item] = x[first + item * blockDim.x];
#pragma unroll
    for (int item = 0; item < kItems; ++item)
      if (first + item * blockDim.x < n) y[first + item * blockDim.x] = a * value[item];
  }
}

auto make(const LaunchConfig::Args& p) {
  return [p, on = multiprocessors()](cudaStream_t stream) {
    if (p.n == 0) return;
    with_items(p.items, [&](auto items) {
      scale<items()><<<blocks(p, wb::i64{items()} * threads(p), on), threads(p), 0, stream>>>(
          p.n, p.a, p.x, p.y);
      WB_CHECK(cudaGetLastError());
    });
  };
}

}  // namespace

WB_CUDA(LaunchConfig, step1_loads_first, make);
