// Changes against step 2: 16 bytes per load, four elements in fp32 and eight in bf16. Such loads
// need addresses that are multiples of 16, so the first block also takes the few elements before
// the first such address and after the last (Packs, ../shared/pack.cuh).
//
// Predict: a load has four times the bytes. Does a thread have four times the bytes in flight?
#include "../shared/pack.cuh"
#include "reduce.cuh"
#include "sum.h"

namespace {

constexpr int kThreads = 256;

template <class Op, class T> __global__ void reduce(Packs<T> x, float* left) {
  const i64 step = static_cast<i64>(gridDim.x) * kThreads;
  float value = Op::identity();
  for (i64 i = static_cast<i64>(blockIdx.x) * kThreads + threadIdx.x; i < x.count; i += step) {
    float element[Pack<T>::kWidth];
    x.pack[i].to_floats(element);
#pragma unroll
    for (const float e : element) value = Op::combine(value, e);
  }
  if (blockIdx.x == 0) value = Op::combine(value, x.template edge<Op>(threadIdx.x));
  value = block_reduce<Op>(value);
  if (threadIdx.x == 0) left[blockIdx.x] = value;
}

auto make(const Sum::Args& p) {
  std::function<void(cudaStream_t)> launch;
  with_op_and_type(p, [&](auto op, auto zero) {
    using Op = decltype(op);
    using T = decltype(zero);
    const Packs<T> x(p.x, p.n);
    const unsigned grid = std::clamp(blocks(x.count, kThreads), 1u, wave(reduce<Op, T>, kThreads));
    launch = [=, left = wb::make_device_array<float>(grid)](cudaStream_t stream) {
      reduce<Op><<<grid, kThreads, 0, stream>>>(x, left.get());
      finish<Op><<<1, kThreads, 0, stream>>>(grid, left.get(), p.divisor(), p.result);
      WB_CHECK(cudaGetLastError());
    };
  });
  return launch;
}

}  // namespace

WB_CUDA(Sum, step3_vectorized, make);
