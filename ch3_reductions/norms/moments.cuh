// Mean and variance in one pass, for steps 1 and 2: numbers, their mean, and the sum of the squares
// of their distances from it. Two of these make one of the numbers of both (Chan, Golub, LeVeque
// 1979); with a single number for the second it is Welford's method (1962). No large sum is ever
// subtracted from another, so a large offset does no harm.
#pragma once

#include "norms.cuh"

namespace {

struct Moments {
  float count, mean, m2;

  __device__ void merge(const Moments& other) {
    const float all = count + other.count;
    if (all == 0) return;
    const float delta = other.mean - mean, share = other.count / all;
    mean += delta * share;
    m2 += other.m2 + delta * delta * count * share;
    count = all;
  }
};

__device__ inline Moments over_warp(Moments own) {
#pragma unroll
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    own.merge({__shfl_xor_sync(0xFFFFFFFF, own.count, distance),
               __shfl_xor_sync(0xFFFFFFFF, own.mean, distance),
               __shfl_xor_sync(0xFFFFFFFF, own.m2, distance)});
  return own;
}

}  // namespace
