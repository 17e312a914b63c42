// Exercise: the smallest and the largest of n numbers, the range that a conversion to 8 bits needs.
// Each is found by a kernel of its own, made of one element per thread, shuffles, and an atomic per
// block. So the array crosses the memory bus twice, 4 bytes at a time per thread.
//
// TODO 1: find both while reading once. What has a block to hand on then?
// TODO 2: 16 bytes per load, several loads of a thread in flight (for_packs in reduce.cuh).
// TODO 3: one launch without atomics on floating-point numbers: let the last block finish
//         (last_block.cuh).
// Goal: 0.95 times optimized at op=sum,dtype=fp32,elements=268435456
// Hints are in README.md.
#include "last_block.cuh"
#include "sum.h"

namespace {

constexpr int kThreads = 256;

template <class Op, class T> __global__ void reduce(wb::i64 n, const T* x, float* result) {
  const wb::i64 i = static_cast<wb::i64>(blockIdx.x) * kThreads + threadIdx.x;
  const float value = i < n ? wb::to_float(x[i]) : Op::kNothing;
  const float of_block = block_reduce<Op, kThreads>(value);
  if (threadIdx.x == 0) atomic_reduce<Op>(result, of_block);
}

template <class Op, class T>
void find(Op, T, const Range::Args& p, float* result, cudaStream_t stream) {
  set<<<1, 1, 0, stream>>>(result, Op::kNothing);
  if (p.n > 0)
    reduce<Op>
        <<<blocks(p.n, kThreads), kThreads, 0, stream>>>(p.n, static_cast<const T*>(p.x), result);
  WB_CHECK(cudaGetLastError());
}

auto make(const Range::Args& p) {  // what stands here is not timed: a place for scratch
  return [p](cudaStream_t stream) {
    wb::with_dtype(p.dtype, [&](auto zero) {
      const wb::DeviceType<decltype(zero)> type{};
      find(Minimum{}, type, p, p.result, stream);
      find(Maximum{}, type, p, p.result + 1, stream);
    });
  };
}

}  // namespace

WB_CUDA(Range, exercise, make);
WB_NOTE("another problem than the baseline's: the smallest and the largest, in one array");
