// Changes against step 2: no atomics. Each block leaves its sum at a place of its own, and a second
// kernel, of one block, adds these up in the order of their places. Nothing depends on who is done
// first, so the same input gives the same bits on every run. Nor has the result to be set before.
// (Step 2 has up to 128 KiB in flight, and one atomic for each of a few hundred blocks.)
//
// The places are made in set-up, one set for each callable: two streams need two of them.
//
// Predict: the second kernel reads some KiB. What does it cost at 2^28 elements, and at 2^16?
#include "reduce.cuh"
#include "sum.h"

namespace {

constexpr int kThreads = 512;
constexpr int kLoads = 4;

template <class Op, class T>
__global__ void __launch_bounds__(kThreads) reduce(Packs<T> x, float* of_block) {
  const float value = block_reduce<Op, kThreads>(thread_reduce<Op, kThreads, kLoads>(x));
  if (threadIdx.x == 0) of_block[blockIdx.x] = value;
}

template <class Op>
__global__ void __launch_bounds__(kThreads)
    reduce_blocks(unsigned n, const float* of_block, double divisor, float* result) {
  float value = Op::kNothing;
  for (unsigned i = threadIdx.x; i < n; i += kThreads) value = Op::of(value, of_block[i]);
  value = block_reduce<Op, kThreads>(value);
  if (threadIdx.x == 0) *result = quotient(value, divisor);
}

auto make(const Sum::Args& p) {
  std::function<void(cudaStream_t)> launch;
  with_op_and_type(p, [&](auto op, auto zero) {
    using Op = decltype(op);
    using T = decltype(zero);
    const Packs<T> x = packs<T>(p.x, p.n);
    const unsigned most = wave(reduce<Op, T>, kThreads);
    const unsigned grid = std::clamp(blocks(x.count, kThreads), 1u, most);
    launch = [=, of_block = wb::make_device_array<float>(grid)](cudaStream_t stream) {
      reduce<Op><<<grid, kThreads, 0, stream>>>(x, of_block.get());
      reduce_blocks<Op><<<1, kThreads, 0, stream>>>(grid, of_block.get(), p.divisor(), p.result);
      WB_CHECK(cudaGetLastError());
    };
  });
  return launch;
}

}  // namespace

WB_CUDA(Sum, step3_two_kernels, make);
