// The loop with a thread for each of its iterations: all threads add to one number, so each
// addition has to be an atomic one. They reach one address in L2, which takes them one after the
// other.
//
// Predict: an H200 has 132 multiprocessors. How many of them does this kernel keep busy?
#include "reduce.cuh"
#include "sum.h"

namespace {

constexpr int kThreads = 256;
constexpr i64 kMost = 1 << 24;  // more would take too long

// There is an instruction for a sum. The other operations compare and swap, until no other thread
// has written in between. The first read is volatile because others write meanwhile: it is one load
// of what is there.
template <class Op> __device__ void atomic_combine(float* to, float value) {
  if constexpr (std::is_same_v<Op, Plus>) {
    atomicAdd(to, value);
  } else {
    unsigned* const bits = reinterpret_cast<unsigned*>(to);
    for (unsigned seen = *static_cast<volatile unsigned*>(bits);;) {
      const unsigned wanted = __float_as_uint(Op::combine(__uint_as_float(seen), value));
      if (wanted == seen) return;
      const unsigned before = atomicCAS(bits, seen, wanted);
      if (before == seen) return;
      seen = before;
    }
  }
}

template <class Op, class T> __global__ void reduce(i64 n, const T* x, float* result) {
  const i64 i = static_cast<i64>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < n) atomic_combine<Op>(result, wb::to_float(x[i]));
}

// Atomics need a first value to go on from, and a mean a division when all of them are done.
__global__ void set(float* result, float value) { *result = value; }
__global__ void divide(float* result, double divisor) { *result = quotient(*result, divisor); }

auto make(const Sum::Args& p) {
  if (p.n > kMost) throw wb::Unsupported("one atomic per element: see it at 16 Mi elements");
  return [p](cudaStream_t stream) {
    with_op_and_type(p, [&](auto op, auto zero) {
      using T = decltype(zero);
      const T* const x = static_cast<const T*>(p.x);
      set<<<1, 1, 0, stream>>>(p.result, op.identity());
      if (p.n > 0)
        reduce<decltype(op)><<<blocks(p.n, kThreads), kThreads, 0, stream>>>(p.n, x, p.result);
      if (p.mean()) divide<<<1, 1, 0, stream>>>(p.result, p.divisor());
      WB_CHECK(cudaGetLastError());
    });
  };
}

}  // namespace

WB_CUDA(Sum, step0_atomic_each, make);
