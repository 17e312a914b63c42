// The .cu files here share this: the type of a case.
#pragma once

#include <cmath>
#include <functional>
#include <string_view>

#include "attention.h"
#include "wb/cuda.h"
#include "wb/half.cuh"

// f(q, k, v, out) with pointers to float, __half or __nv_bfloat16.
template <class F> auto with_types(const Attention::Args& p, F f) {
  return wb::with_dtype(p.dtype, [&](auto zero) {
    using T = wb::DeviceType<decltype(zero)>;
    return f(static_cast<const T*>(p.q), static_cast<const T*>(p.k), static_cast<const T*>(p.v),
             static_cast<T*>(p.out));
  });
}

// f.operator()<T, width, causal>() for tensor cores: T has 16 bits, rows have 64 or 128 numbers,
// and there are as many queries as keys.
template <class F> auto with_tile(const Attention::Args& p, F f) {
  require_one_length(p);
  const auto masked = [&]<class T, int width>() {
    return p.causal ? f.template operator()<T, width, true>()
                    : f.template operator()<T, width, false>();
  };
  const auto wide = [&]<class T>() {
    if (p.width != 64 && p.width != 128) throw wb::Unsupported("heads of 64 or 128 numbers here");
    return p.width == 64 ? masked.template operator()<T, 64>()
                         : masked.template operator()<T, 128>();
  };
  const std::string_view dtype = p.dtype;
  if (dtype != "fp16" && dtype != "bf16") throw wb::Unsupported("tensor cores: fp16 or bf16");
  return dtype == "fp16" ? wide.template operator()<__half>()
                         : wide.template operator()<__nv_bfloat16>();
}

// exp(x) = 2^(x log2(e)): what multiplies scores anyway takes log2(e) in.
constexpr float kLog2e = 1.44269504f;
inline float scale(const Attention::Args& p) {
  return static_cast<float>(kLog2e / std::sqrt(static_cast<double>(p.width)));
}
// 2^x as the GPU has it, in one instruction; tiny results are 0.
__device__ inline float exp2_fast(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
