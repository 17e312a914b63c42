// Online softmax over the threads of a block, as step 1 has it over the elements of a thread.
#pragma once

#include <cfloat>

#include "softmax.cuh"

namespace {

// exp(x) as a power of 2, by the special function unit; 0 where it would be below 2^-126. The unit
// errs by 2 ulp at most, the product before it by |x| 2^-24 or so: ten times as much at -40.
__device__ inline float exponential(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x * 1.44269504f));
  return y;
}

// Part of a row; a NaN or inf among its elements makes the sum NaN, and it stays.
struct Part {
  float max, sum;  // the largest x, and the sum of exp(x - max)
};
constexpr Part kNothing = {-INFINITY, 0};  // a part without elements

// exp(from - to), and 0 where both are -inf: there -inf - -inf would make it NaN.
__device__ inline float scale(float from, float to) {
  return exponential(from - fmaxf(to, -FLT_MAX));
}
__device__ inline Part combine(Part a, Part b) {
  const float max = fmaxf(a.max, b.max);
  return {max, a.sum * scale(a.max, max) + b.sum * scale(b.max, max)};
}

// Over lanes of a warp. The maximum first: then it takes one exponential, not one per shuffle.
__device__ inline Part over_warp(Part part, int lanes = kWarp) {
  float max = part.max;
#pragma unroll
  for (int distance = lanes / 2; distance > 0; distance /= 2)
    max = fmaxf(max, __shfl_xor_sync(0xFFFFFFFF, max, distance));
  return {max, over_warp(part.sum * scale(part.max, max), lanes)};
}

}  // namespace
