// Changes against baseline: a warp becomes one number by shuffles, from register to register. Only
// the eight warps of a block still meet in shared memory, with one barrier in place of nine.
// (The baseline has 8 KiB in flight per multiprocessor at best, 4 bytes for each of 2048 threads,
// and less while threads stand at barriers.)
//
// Predict: the work inside a block shrinks a lot. Does the time? Each block still loads 1 KiB, and
// still has an atomic of its own.
#include "reduce.cuh"
#include "sum.h"

namespace {

constexpr int kThreads = 256;

template <class Op, class T> __global__ void reduce(wb::i64 n, const T* x, float* result) {
  const wb::i64 i = static_cast<wb::i64>(blockIdx.x) * kThreads + threadIdx.x;
  const float value = i < n ? wb::to_float(x[i]) : Op::kNothing;
  const float sum = block_reduce<Op, kThreads>(value);
  if (threadIdx.x == 0) atomic_reduce<Op>(result, sum);
}

void run(const Sum::Args& p, cudaStream_t stream) {
  with_atomics(p, stream, [&](auto op, auto zero) {
    using T = decltype(zero);
    reduce<decltype(op)>
        <<<blocks(p.n, kThreads), kThreads, 0, stream>>>(p.n, static_cast<const T*>(p.x), p.result);
  });
}

}  // namespace

WB_CUDA(Sum, step1_shuffle, run);
