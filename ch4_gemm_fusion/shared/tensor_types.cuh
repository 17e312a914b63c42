// The types that tensor cores multiply: fp16 on every GPU of this book, bf16 from compute
// capability 8.0 on.
#pragma once

#include <string_view>
#include <type_traits>

#include "wb/half.cuh"

// For set-up. A variant declares what a type needs of the GPU: WB_NEEDS("8.0 for bf16").
inline void require_type(std::string_view dtype) {
  if (dtype == "fp32") throw wb::Unsupported("tensor cores: fp16 or bf16");
}

// For kernels, which are compiled for each type: one where this is false is never launched.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
template <class T> constexpr bool kMultiplies = true;
#else
template <class T> constexpr bool kMultiplies = std::is_same_v<T, __half>;
#endif
