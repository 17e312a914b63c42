// Exercise: the smallest and the largest of n numbers, the range that a conversion to 8 bits needs.
// Each is found by itself, by the kernel of step 1: one element per thread, and a launch after the
// other until one block is enough. So the array crosses the memory bus twice, 4 bytes at a time per
// thread.
//
// TODO 1: find both while reading once. What has a block to hand on then?
// TODO 2: 16 bytes per load, several loads of a thread in flight (step 4).
// TODO 3: one launch: let the last block finish (../shared/ticket.cuh).
// Goal: 0.95 times optimized at op=sum,dtype=fp32,elements=268435456
// Goal: at most 8000 requests at op=sum,dtype=fp32,elements=524288
// Hints are in README.md.
#include "reduce.cuh"
#include "sum.h"

namespace {

constexpr int kThreads = 256;

template <class Op, class T> __global__ void reduce(i64 n, const T* x, float* left) {
  const i64 i = static_cast<i64>(blockIdx.x) * kThreads + threadIdx.x;
  const float value = block_reduce<Op>(i < n ? wb::to_float(x[i]) : Op::identity());
  if (threadIdx.x == 0) left[blockIdx.x] = value;
}

// The result of x's n elements goes to `result`; what blocks leave to `left`, then to `other`.
template <class Op, class T>
void find(i64 n, const T* x, float* left, float* other, float* result, cudaStream_t stream) {
  const unsigned grid = std::max(blocks(n, kThreads), 1u);
  reduce<Op><<<grid, kThreads, 0, stream>>>(n, x, grid == 1 ? result : left);
  if (grid > 1) find<Op, float>(grid, left, other, left, result, stream);
}

auto make(const Range::Args& p) {  // set-up, not timed: memory for the blocks
  const unsigned grid = blocks(p.n, kThreads);
  return [p, left = wb::make_device_array<float>(grid + 1),
          other = wb::make_device_array<float>(blocks(grid, kThreads) + 1)](cudaStream_t stream) {
    wb::with_dtype(p.dtype, [&](auto zero) {
      const auto* x = static_cast<const wb::DeviceType<decltype(zero)>*>(p.x);
      find<Minimum>(p.n, x, left.get(), other.get(), p.result, stream);
      find<Maximum>(p.n, x, left.get(), other.get(), p.result + 1, stream);
      WB_CHECK(cudaGetLastError());
    });
  };
}

}  // namespace

WB_CUDA(Range, exercise, make);
WB_NOTE("another problem than the baseline's: the smallest and the largest, in one array");
