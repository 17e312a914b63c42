// What every .cu here begins with: the type of a case, and what its kernel needs of the GPU.
#pragma once

#include <string_view>
#include <type_traits>

#include "tensor_cores.h"
#include "wb/compiled.cuh"
#include "wb/half.cuh"

// f(a, b, c) with pointers to __half or __nv_bfloat16.
template <class F> auto with_types(const TensorCores::Args& p, F f) {
  const auto call = [&]<class T>(T* c) {
    return f(static_cast<const T*>(p.a), static_cast<const T*>(p.b), c);
  };
  return std::string_view(p.dtype) == "fp16" ? call(static_cast<__half*>(p.c))
                                             : call(static_cast<__nv_bfloat16*>(p.c));
}

// Tensor cores take fp16 on every GPU of this book, bf16 from compute capability 8.0 on: asked of
// the GPU and of the code for it,
inline void require_type(const TensorCores::Args& p) {
  if (std::string_view(p.dtype) == "bf16") wb::require_code(800, "bf16 in tensor cores");
}
// and, in a kernel, of the compiler: where this is false, the kernel is never launched.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
template <class T> constexpr bool kMultiplies = true;
#else
template <class T> constexpr bool kMultiplies = std::is_same_v<T, __half>;
#endif
