// The kernel that one writes first and then tunes: block size and items per thread are numbers of
// the launch. Of a block's tile, a thread takes an item, then the next a block's width further on.
//
// Predict: more items per thread are fewer blocks, each with more to do. Does that alone put more
// bytes in flight? (y might overlap x: may the compiler load an item before it has stored the
// last one?)
#include "launch.cuh"

namespace {

__global__ void scale(wb::i64 n, int items, float a, const float* x, float* y) {
  const wb::i64 tile = static_cast<wb::i64>(items) * blockDim.x;
  for (wb::i64 start = blockIdx.x * tile; start < n; start += gridDim.x * tile)
    for (int item = 0; item < items; ++item) {
      const wb::i64 i = start + item * blockDim.x + threadIdx.x;
      if (i < n) y[i] = a * x[i];
    }
}

auto make(const LaunchConfig::Args& p) {
  return [p, on = multiprocessors()](cudaStream_t stream) {
    if (p.n == 0) return;
    const wb::i64 items = std::min<wb::i64>(p.items, 32);
    scale<<<blocks(p, items * threads(p), on), threads(p), 0, stream>>>(
        p.n, static_cast<int>(items), p.a, p.x, p.y);
    WB_CHECK(cudaGetLastError());
  };
}

}  // namespace

WB_CUDA(LaunchConfig, baseline, make);
