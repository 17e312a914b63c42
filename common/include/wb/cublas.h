// cuBLAS for .cu variants: a checked call and a handle that frees itself.
#pragma once

#include <cublas_v2.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace wb {

// Throws std::runtime_error "file:line: call: status" when a cuBLAS or cuBLASLt call fails.
inline void check_cublas(cublasStatus_t status, const char* call, const char* file, int line) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": " + call + ": " +
                           cublasGetStatusString(status));
}
#define WB_CHECK_CUBLAS(CALL) wb::check_cublas((CALL), #CALL, __FILE__, __LINE__)

using CublasHandle = std::shared_ptr<std::remove_pointer_t<cublasHandle_t>>;
inline CublasHandle make_cublas() {
  cublasHandle_t handle;
  WB_CHECK_CUBLAS(cublasCreate(&handle));
  return CublasHandle(handle, [](cublasHandle_t h) { cublasDestroy(h); });
}

}  // namespace wb
