// Every .cu here begins with this: the type of a case.
#pragma once

#include <string_view>

#include "../shared/tensor_types.cuh"
#include "tensor_cores.h"
#include "wb/cuda.h"

// f(a, b, c) with pointers to __half or __nv_bfloat16.
template <class F> auto with_types(const TensorCores::Args& p, F f) {
  const auto call = [&]<class T>(T* c) {
    return f(static_cast<const T*>(p.a), static_cast<const T*>(p.b), c);
  };
  return std::string_view(p.dtype) == "fp16" ? call(static_cast<__half*>(p.c))
                                             : call(static_cast<__nv_bfloat16*>(p.c));
}
