// Shared by the kernels: the operation and type of a case, and a second kernel, which reduces the
// numbers that the blocks of a first one stored.
#pragma once

#include "../shared/launch.cuh"
#include "../shared/shuffle.cuh"
#include "operations.h"
#include "wb/half.cuh"

namespace {

// f(Op, T) for a case's operation and type.
template <class Args, class F> void with_op_and_type(const Args& p, F f) {
  with_op(p.op, [&](auto op) {
    wb::with_dtype(p.dtype, [&](auto zero) { f(op, wb::DeviceType<decltype(zero)>{}); });
  });
}

// A mean is a sum that is divided at the end.
__device__ inline float quotient(float value, double divisor) {
  return divisor == 1 ? value : static_cast<float>(value / divisor);
}

// One block reduces the numbers that `n` blocks stored, in the order of the blocks.
template <class Op>
__global__ void finish(unsigned n, const float* left, double divisor, float* result) {
  float value = Op::identity();
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) value = Op::combine(value, left[i]);
  value = block_reduce<Op>(value);
  if (threadIdx.x == 0) *result = quotient(value, divisor);
}

}  // namespace
