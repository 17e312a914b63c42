// Which code of this build the device runs. A build for compute capability 8.0 runs on a 9.0, too,
// but what stands behind `#if __CUDA_ARCH__ >= 900` is not in it: set-up has to ask for the code,
// not for the card.
#pragma once

#include "wb/cuda.h"

namespace wb {

// 750, 800, ...: the compiler's __CUDA_ARCH__; 901 where it was 9.0a, which alone has wgmma.
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
[[maybe_unused]] static __device__ const int device_code = 901;
#elif defined(__CUDA_ARCH__)
[[maybe_unused]] static __device__ const int device_code = __CUDA_ARCH__;
#else
[[maybe_unused]] static __device__ const int device_code = 0;
#endif

// Of the current device. For set-up: it waits for the device.
static inline int compiled_code() {
  int code = 0;
  WB_CHECK(cudaMemcpyFromSymbol(&code, device_code, sizeof code));
  return code;
}

}  // namespace wb
