// Both operations on values in registers: what a share adds to its row (`part`), and what becomes
// of it once the row's value is known (`finish`).
#pragma once

#include "../online.cuh"

namespace {

__device__ inline float combine(float a, float b) { return a + b; }  // of the backward pass

template <class P> __device__ P nothing();
template <> __device__ inline float nothing<float>() { return 0; }
template <> __device__ inline Part nothing<Part>() { return kNothing; }

struct Forward {
  using Value = Part;
  static constexpr bool kBackward = false;
  static constexpr float kAbsent = -INFINITY;  // what an element that is none counts as

  // x becomes exp(x - own maximum): no thread waits for the row's maximum to begin.
  template <int n> static __device__ Part part(float (&x)[n], const float (&)[n]) {
    Part own = nothing<Part>();
#pragma unroll
    for (int i = 0; i < n; ++i) own.max = fmaxf(own.max, x[i]);
#pragma unroll
    for (int i = 0; i < n; ++i) own.sum += x[i] = scale(x[i], own.max);
    return own;
  }
  template <int n>
  static __device__ void finish(float (&x)[n], const float (&)[n], Part own, Part all) {
    const float factor = scale(own.max, all.max) / all.sum;
#pragma unroll
    for (int i = 0; i < n; ++i) x[i] *= factor;
  }
};

struct Backward {
  using Value = float;
  static constexpr bool kBackward = true;
  static constexpr float kAbsent = 0;

  template <int n> static __device__ float part(const float (&y)[n], const float (&dy)[n]) {
    float own = 0;
#pragma unroll
    for (int i = 0; i < n; ++i) own += y[i] * dy[i];
    return own;
  }
  template <int n>
  static __device__ void finish(float (&y)[n], const float (&dy)[n], float, float all) {
#pragma unroll
    for (int i = 0; i < n; ++i) y[i] *= dy[i] - all;
  }
};

}  // namespace
