// A kernel of a compiled candidate, for a lesson's tuned.cu. The driver's interface loads and
// launches it, because the runtime can do that only since CUDA 12.8, and the driver since 12.0.
#pragma once

#include <cuda.h>  // types alone: nothing is linked with libcuda

#include "tunable.h"
#include "wb/cuda.h"

namespace tune {

// `function` as the driver has it, called. Throws std::runtime_error with the error's name.
template <class F, class... Args> void call_driver(F* function, const char* name, Args... args) {
  if (!function) throw wb::Unsupported(std::string("the driver has no ") + name + ": update it");
  const CUresult status = function(args...);
  if (status == CUDA_SUCCESS) return;
  const char* error = "an unknown error";
  if (void* const named = wb::driver_function("cuGetErrorName"))
    reinterpret_cast<decltype(&cuGetErrorName)>(named)(status, &error);
  throw std::runtime_error(std::string(name) + ": " + error);
}
#define TUNE_DRIVER(FUNCTION, ...)                                             \
  [&] {                                                                        \
    static const auto found =                                                  \
        reinterpret_cast<decltype(&FUNCTION)>(wb::driver_function(#FUNCTION)); \
    tune::call_driver(found, #FUNCTION, __VA_ARGS__);                          \
  }()

class Kernel {
 public:
  // `name`: of an extern "C" __global__ function. The library stays loaded.
  Kernel(const Choice& choice, const char* name) {
    CUlibrary library;
    TUNE_DRIVER(cuLibraryLoadFromFile, &library, choice.object.c_str(), nullptr, nullptr, 0,
                nullptr, nullptr, 0);
    TUNE_DRIVER(cuLibraryGetKernel, &kernel_, library, name);
  }

  // Takes the size of the blocks. A kernel must ask for more than 48 KiB of dynamic shared memory,
  // and a search wants to know how many registers it takes.
  void prepare(int threads, wb::i64 shared_bytes) const {
    int device = 0, most = 0, blocks = 0, registers = 0, local_bytes = 0;
    WB_CHECK(cudaGetDevice(&device));
    WB_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    if (shared_bytes > most) throw wb::Unsupported("more shared memory than a block may have");
    TUNE_DRIVER(cuKernelSetAttribute, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                static_cast<int>(shared_bytes), kernel_, device);
    CUfunction here;  // of this context: the driver of CUDA 12.0 wants that
    TUNE_DRIVER(cuKernelGetFunction, &here, kernel_);
    TUNE_DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor, &blocks, here, threads,
                static_cast<std::size_t>(shared_bytes));
    TUNE_DRIVER(cuKernelGetAttribute, &registers, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel_, device);
    TUNE_DRIVER(cuKernelGetAttribute, &local_bytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, kernel_,
                device);
    tell({blocks * threads, registers, local_bytes});
  }

  // The arguments have exactly the types of the kernel's parameters.
  template <class... Args>
  void launch(dim3 grid, dim3 block, std::size_t shared, cudaStream_t stream,
              const Args&... args) const {
    void* pointers[] = {const_cast<void*>(static_cast<const void*>(&args))...};
    const auto function = reinterpret_cast<CUfunction>(kernel_);  // the call takes either
    TUNE_DRIVER(cuLaunchKernel, function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                static_cast<unsigned>(shared), stream, pointers, nullptr);
  }

 private:
  CUkernel kernel_ = nullptr;
};

}  // namespace tune
