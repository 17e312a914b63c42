// The kernel of the textbooks: a block copies 256 elements into shared memory and halves them until
// one is left, with a barrier after each halving. It stores that one in memory. The next launch
// does the same with the numbers of the blocks, until one block is enough: four launches for 2^28
// elements. No block waits for another one, and the order of additions is always the same. (Step 0
// keeps one address of L2 busy, and no multiprocessor: all of them wait for it.)
//
// Predict: a block of 256 threads holds 1 KiB of the array for a load and nine barriers. 2048
// threads fit on a multiprocessor. How many bytes does it have in flight, at best?
#include "reduce.cuh"
#include "sum.h"

namespace {

constexpr int kThreads = 256;

template <class Op, class T>
__global__ void reduce(i64 n, const T* x, double divisor, float* left) {
  __shared__ float value[kThreads];
  const i64 i = static_cast<i64>(blockIdx.x) * kThreads + threadIdx.x;
  value[threadIdx.x] = i < n ? wb::to_float(x[i]) : Op::identity();
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      value[threadIdx.x] = Op::combine(value[threadIdx.x], value[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) left[blockIdx.x] = quotient(value[0], divisor);
}

// A launch, and those after it. The blocks store to `left`, and in the next launch to `other`.
template <class Op, class T>
void level(const Sum::Args& p, i64 n, const T* x, float* left, float* other, cudaStream_t stream) {
  const unsigned grid = std::max(blocks(n, kThreads), 1u);
  const bool last = grid == 1;
  reduce<Op><<<grid, kThreads, 0, stream>>>(n, x, last ? p.divisor() : 1, last ? p.result : left);
  if (!last) level<Op, float>(p, grid, left, other, left, stream);
}

auto make(const Sum::Args& p) {  // set-up, not timed: memory for the blocks
  const unsigned grid = blocks(p.n, kThreads);
  return [p, left = wb::make_device_array<float>(grid + 1),
          other = wb::make_device_array<float>(blocks(grid, kThreads) + 1)](cudaStream_t stream) {
    with_op_and_type(p, [&](auto op, auto zero) {
      using T = decltype(zero);
      level<decltype(op)>(p, p.n, static_cast<const T*>(p.x), left.get(), other.get(), stream);
      WB_CHECK(cudaGetLastError());
    });
  };
}

}  // namespace

WB_CUDA(Sum, baseline, make);
WB_EXERCISE(Range);
