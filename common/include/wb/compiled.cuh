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

// Throws Unsupported where the device has less than compute capability `code` / 100, or this build
// no code for it: "needs compute capability 8.0: bf16 in tensor cores".
static inline std::string capability(int code) {
  return "compute capability " + std::to_string(code / 100) + "." + std::to_string(code / 10 % 10);
}
[[maybe_unused]] static void require_card(int code, const std::string& what_for) {
  int device, major, minor;
  WB_CHECK(cudaGetDevice(&device));
  WB_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  WB_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
  if (100 * major + 10 * minor < code)
    throw Unsupported("needs " + capability(code) + ": " + what_for);
}
[[maybe_unused]] static void require_code(int code, const std::string& what_for) {
  require_card(code, what_for);
  if (compiled_code() < code)
    throw Unsupported("this build has no code for " + capability(code) + ": " + what_for);
}

}  // namespace wb
