// The .cu files here share this: the type of a case in CUDA's words, and the pass that fusion
// saves.
#pragma once

#include "gemm_leaky_relu.h"
#include "wb/cuda.h"
#include "wb/half.cuh"

// f(a, b, c) with pointers to float, __half or __nv_bfloat16.
template <class F> auto with_types(const GemmLeakyRelu::Args& p, F f) {
  return wb::with_dtype(p.dtype, [&](auto zero) {
    using T = wb::DeviceType<decltype(zero)>;
    return f(static_cast<const T*>(p.a), static_cast<const T*>(p.b), static_cast<T*>(p.c));
  });
}

__device__ inline float leaky_relu(float sum) { return fmaxf(sum, 0.01f * sum); }

template <int width, class T> __global__ void leaky_relu_in_place(T* c, wb::i64 n) {
  struct alignas(width * sizeof(T)) Pack {
    T value[width];
  };
  const wb::i64 i = (wb::i64{blockIdx.x} * blockDim.x + threadIdx.x) * width;
  if (i >= n) return;
  Pack* const at = reinterpret_cast<Pack*>(c + i);
  Pack v = *at;
  for (int j = 0; j < width; ++j)
    v.value[j] = wb::from_float<T>(leaky_relu(wb::to_float(v.value[j])));
  *at = v;
}

// A pass over n numbers, 16 bytes per load and store where that divides them.
template <class T> void leaky_relu_pass(T* c, wb::i64 n, cudaStream_t stream) {
  constexpr int kWide = 16 / sizeof(T), kBlock = 256;
  if (n == 0) return;
  const auto blocks = [&](int width) {
    return static_cast<unsigned>((n / width + kBlock - 1) / kBlock);
  };
  if (n % kWide == 0 && reinterpret_cast<std::uintptr_t>(c) % 16 == 0)
    leaky_relu_in_place<kWide><<<blocks(kWide), kBlock, 0, stream>>>(c, n);
  else
    leaky_relu_in_place<1><<<blocks(1), kBlock, 0, stream>>>(c, n);
  WB_CHECK(cudaGetLastError());
}
