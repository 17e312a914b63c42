// The kernel of the textbooks: a block copies 256 elements into shared memory and halves them until
// one is left, with a barrier after each halving. One atomic per block brings the blocks together.
// They finish in any order, and floating-point addition rounds after each: on other inputs than
// this lesson's the last bits differ from run to run. (Step 0 keeps one place of L2 busy, and no
// multiprocessor: all of them wait for it.)
//
// Predict: a block of 256 threads holds 1 KiB of the array for a load, nine barriers and an atomic.
// 2048 threads fit on a multiprocessor. How many bytes does it have in flight, at best?
#include "reduce.cuh"
#include "sum.h"

namespace {

constexpr int kThreads = 256;

template <class Op, class T> __global__ void reduce(wb::i64 n, const T* x, float* result) {
  __shared__ float value[kThreads];
  const wb::i64 i = static_cast<wb::i64>(blockIdx.x) * kThreads + threadIdx.x;
  value[threadIdx.x] = i < n ? wb::to_float(x[i]) : Op::kNothing;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      value[threadIdx.x] = Op::of(value[threadIdx.x], value[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) atomic_reduce<Op>(result, value[0]);
}

void run(const Sum::Args& p, cudaStream_t stream) {
  with_atomics(p, stream, [&](auto op, auto zero) {
    using T = decltype(zero);
    reduce<decltype(op)>
        <<<blocks(p.n, kThreads), kThreads, 0, stream>>>(p.n, static_cast<const T*>(p.x), p.result);
  });
}

}  // namespace

WB_CUDA(Sum, baseline, run);
WB_EXERCISE(Range);
