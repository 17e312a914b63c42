// Changes against step 1: only as many blocks as the device holds at a time (a wave). Together they
// loop over the array, each thread with one accumulator. A block now pays its start, its shuffles
// and its barrier once for about 1 MiB at 2^28 elements, not for 1 KiB. And there are so few blocks
// that one more block can add up their numbers.
//
// Predict: a block of step 1 loads, then adds up, then ends. Which blocks load meanwhile? And here?
#include "reduce.cuh"
#include "sum.h"

namespace {

constexpr int kThreads = 256;

template <class Op, class T> __global__ void reduce(i64 n, const T* x, float* left) {
  const i64 step = static_cast<i64>(gridDim.x) * kThreads;
  float value = Op::identity();
  for (i64 i = static_cast<i64>(blockIdx.x) * kThreads + threadIdx.x; i < n; i += step)
    value = Op::combine(value, wb::to_float(x[i]));
  value = block_reduce<Op>(value);
  if (threadIdx.x == 0) left[blockIdx.x] = value;
}

auto make(const Sum::Args& p) {
  std::function<void(cudaStream_t)> launch;
  with_op_and_type(p, [&](auto op, auto zero) {
    using Op = decltype(op);
    using T = decltype(zero);
    const T* x = static_cast<const T*>(p.x);
    const unsigned grid = std::clamp(blocks(p.n, kThreads), 1u, wave(reduce<Op, T>, kThreads));
    launch = [=, left = wb::make_device_array<float>(grid)](cudaStream_t stream) {
      reduce<Op><<<grid, kThreads, 0, stream>>>(p.n, x, left.get());
      finish<Op><<<1, kThreads, 0, stream>>>(grid, left.get(), p.divisor(), p.result);
      WB_CHECK(cudaGetLastError());
    };
  });
  return launch;
}

}  // namespace

WB_CUDA(Sum, step2_grid_stride, make);
