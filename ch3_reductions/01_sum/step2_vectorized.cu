// Changes against step 1: one wave of blocks goes round the array (thread_reduce), with 16 bytes
// per load and four loads per thread in flight before the first addition. What a block pays once
// (shuffles, barrier, atomic) it now pays for about 2 MiB at 2^28 elements, not for 1 KiB.
//
// Predict: 2048 threads per multiprocessor, four loads of 16 bytes each. How many KiB are in flight
// now? How many atomics are left of the million that step 1 has at 2^28 elements?
#include "reduce.cuh"
#include "sum.h"

namespace {

constexpr int kThreads = 512;
constexpr int kLoads = 4;

template <class Op, class T>
__global__ void __launch_bounds__(kThreads) reduce(Packs<T> x, float* result) {
  const float value = block_reduce<Op, kThreads>(thread_reduce<Op, kThreads, kLoads>(x));
  if (threadIdx.x == 0) atomic_reduce<Op>(result, value);
}

void run(const Sum::Args& p, cudaStream_t stream) {
  with_atomics(p, stream, [&](auto op, auto zero) {
    using T = decltype(zero);
    const auto kernel = reduce<decltype(op), T>;
    const Packs<T> x = packs<T>(p.x, p.n);
    const unsigned grid = std::clamp(blocks(x.count, kThreads), 1u, wave(kernel, kThreads));
    kernel<<<grid, kThreads, 0, stream>>>(x, p.result);
  });
}

}  // namespace

WB_CUDA(Sum, step2_vectorized, run);
