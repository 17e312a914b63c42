// What every .cu here begins with: the type of a case, and what its kernel needs of the GPU.
#pragma once

#include <string_view>

#include "tensor_cores.h"
#include "wb/cuda.h"
#include "wb/half.cuh"

// f(a, b, c) with pointers to __half or __nv_bfloat16.
template <class F> auto with_types(const TensorCores::Args& p, F f) {
  const auto call = [&]<class T>(T* c) {
    return f(static_cast<const T*>(p.a), static_cast<const T*>(p.b), c);
  };
  return std::string_view(p.dtype) == "fp16" ? call(static_cast<__half*>(p.c))
                                             : call(static_cast<__nv_bfloat16*>(p.c));
}

inline void needs_ampere() {
  int device, major;
  WB_CHECK(cudaGetDevice(&device));
  WB_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  if (major < 8) throw wb::Unsupported("needs compute capability 8.0: bf16 in tensor cores");
}
