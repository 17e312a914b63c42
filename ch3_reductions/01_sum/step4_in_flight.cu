// Changes against step 3: a thread asks for four packs before it adds up the first, where step 3
// waits for each. (Four times the bytes per load are four times the bytes in flight only if a
// thread has as many loads in flight as before.)
//
// Predict: step 2 has loads of 4 bytes in fp32 and of 2 in bf16, step 3 of 16 in both. For which of
// the two types do four at a time change more?
#include "../shared/pack.cuh"
#include "reduce.cuh"
#include "sum.h"

namespace {

constexpr int kThreads = 256, kLoads = 4;

template <class Op, class T>
__global__ void __launch_bounds__(kThreads) reduce(Packs<T> x, float* left) {
  const i64 step = static_cast<i64>(gridDim.x) * kThreads;
  i64 i = static_cast<i64>(blockIdx.x) * kThreads + threadIdx.x;
  Accumulators<Op, T> sums;
  for (; i + (kLoads - 1) * step < x.count; i += kLoads * step) {
    Pack<T> pack[kLoads];
#pragma unroll
    for (int j = 0; j < kLoads; ++j) pack[j] = x.pack[i + j * step];
#pragma unroll
    for (int j = 0; j < kLoads; ++j) sums.take(pack[j]);
  }
  for (; i < x.count; i += step) sums.take(x.pack[i]);
  float value = sums.result();
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

WB_CUDA(Sum, step4_in_flight, make);
