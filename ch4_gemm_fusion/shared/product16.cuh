// For .cu files of the lessons on tensor cores: the type of a case.
#pragma once

#include <string_view>

#include "product16.h"
#include "tensor_types.cuh"
#include "wb/cuda.h"

// f(a, b, c) with pointers to __half or __nv_bfloat16.
template <class F> auto with_types(const Product16::Args& p, F f) {
  const auto call = [&]<class T>(T* c) {
    return f(static_cast<const T*>(p.a), static_cast<const T*>(p.b), c);
  };
  return std::string_view(p.dtype) == "fp16" ? call(static_cast<__half*>(p.c))
                                             : call(static_cast<__nv_bfloat16*>(p.c));
}
