// What a loop becomes when each of its iterations becomes a thread: all threads add to one number,
// so each addition has to be an atomic one. They reach one address in L2, which takes them one
// after the other.
//
// Predict: an H200 has 132 multiprocessors. How many of them does this kernel keep busy?
#include "reduce.cuh"
#include "sum.h"

namespace {

constexpr int kThreads = 256;
constexpr wb::i64 kMost = 1 << 24;  // longer than that nobody wants to wait

template <class Op, class T> __global__ void reduce(wb::i64 n, const T* x, float* result) {
  const wb::i64 i = static_cast<wb::i64>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < n) atomic_reduce<Op>(result, wb::to_float(x[i]));
}

auto make(const Sum::Args& p) {
  if (p.n > kMost) throw wb::Unsupported("one atomic per element: see it at 16 Mi elements");
  return [p](cudaStream_t stream) {
    with_atomics(p, stream, [&](auto op, auto zero) {
      using T = decltype(zero);
      reduce<decltype(op)><<<blocks(p.n, kThreads), kThreads, 0, stream>>>(
          p.n, static_cast<const T*>(p.x), p.result);
    });
  };
}

}  // namespace

WB_CUDA(Sum, step0_atomic_each, make);
