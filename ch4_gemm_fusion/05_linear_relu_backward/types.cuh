// The .cu files here share this: the type of a case in CUDA's words.
#pragma once

#include "linear_relu_backward.h"
#include "wb/cuda.h"
#include "wb/half.cuh"

// f(dy, w, h, dz, db) with pointers to float, __half or __nv_bfloat16.
template <class F> auto with_types(const LinearReluBackward::Args& p, F f) {
  return wb::with_dtype(p.dtype, [&](auto zero) {
    using T = wb::DeviceType<decltype(zero)>;
    return f(static_cast<const T*>(p.dy), static_cast<const T*>(p.w), static_cast<const T*>(p.h),
             static_cast<T*>(p.dz), static_cast<T*>(p.db));
  });
}
