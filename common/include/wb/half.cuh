// The 16-bit types of wb/half.h in kernels: the same bits as __half and __nv_bfloat16.
//
//   wb::with_dtype(p.dtype, [&](auto zero) {
//     using T = wb::DeviceType<decltype(zero)>;       // float, __half or __nv_bfloat16
//     kernel<<<...>>>(static_cast<const T*>(p.x), static_cast<T*>(p.y), p.n);
//   });
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "wb/half.h"

namespace wb {

template <class T> struct DeviceTypeOf { using type = T; };
template <> struct DeviceTypeOf<half> { using type = __half; };
template <> struct DeviceTypeOf<bfloat16> { using type = __nv_bfloat16; };
template <class T> using DeviceType = typename DeviceTypeOf<T>::type;

// Arithmetic in fp32, whatever is stored; storing rounds to nearest, ties to even.
__device__ inline float to_float(float x) { return x; }
__device__ inline float to_float(__half x) { return __half2float(x); }
__device__ inline float to_float(__nv_bfloat16 x) { return __bfloat162float(x); }
template <class T> __device__ T from_float(float x);
template <> __device__ inline float from_float<float>(float x) { return x; }
template <> __device__ inline __half from_float<__half>(float x) { return __float2half_rn(x); }
template <> __device__ inline __nv_bfloat16 from_float<__nv_bfloat16>(float x) {
  return __float2bfloat16_rn(x);
}

}  // namespace wb
