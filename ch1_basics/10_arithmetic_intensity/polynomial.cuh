// Horner's scheme for the GPU variants, for several values of a thread at a time.
#pragma once

#include "arithmetic_intensity.h"
#include "wb/cuda.h"

namespace {

// All lanes want the same coefficient at the same time: that is what constant memory is made for.
__constant__ __align__(16) Coefficients coefficients = make_coefficients();

// Replaces each of a thread's values by P of it. One value is a chain: every multiply-add waits for
// the one before. kValues values are as many chains that do not wait for each other, and they share
// the other costs of a step: fetching the coefficient, counting the loop.
template <int kValues> __device__ void apply(float (&value)[kValues], int degree) {
  float x[kValues];
#pragma unroll
  for (int i = 0; i < kValues; ++i) {
    x[i] = value[i];
    value[i] = coefficients[degree];
  }
#pragma unroll 8
  for (int j = degree - 1; j >= 0; --j)
#pragma unroll
    for (int i = 0; i < kValues; ++i) value[i] = fmaf(value[i], x[i], coefficients[j]);
}

// The same, with eight coefficients a turn, fetched 16 bytes at a time.
template <int kValues> __device__ void apply_in_eights(float (&value)[kValues], int degree) {
  float x[kValues];
#pragma unroll
  for (int i = 0; i < kValues; ++i) {
    x[i] = value[i];
    value[i] = coefficients[degree];
  }
  const auto step = [&](float c) {
#pragma unroll
    for (int i = 0; i < kValues; ++i) value[i] = fmaf(value[i], x[i], c);
  };
  int j = degree;
#pragma unroll 1
  while (j % 8 != 0) step(coefficients[--j]);
#pragma unroll 1
  while (j > 0) {
    j -= 8;
    const float4 high = *reinterpret_cast<const float4*>(&coefficients[j + 4]);
    const float4 low = *reinterpret_cast<const float4*>(&coefficients[j]);
    step(high.w), step(high.z), step(high.y), step(high.x);
    step(low.w), step(low.z), step(low.y), step(low.x);
  }
}

}  // namespace
