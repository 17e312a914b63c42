// A kernel of a compiled candidate, for a lesson's tuned.cu.
#pragma once

#include "tunable.h"
#include "wb/cuda.h"

namespace tune {

class Kernel {
 public:
  // `name`: of an extern "C" __global__ function. The library stays loaded.
  Kernel(const Choice& choice, const char* name) {
    cudaLibrary_t library;
    WB_CHECK(cudaLibraryLoadFromFile(&library, choice.object.c_str(), nullptr, nullptr, 0, nullptr,
                                     nullptr, 0));
    WB_CHECK(cudaLibraryGetKernel(&kernel_, library, name));
  }

  // What blocks will be like. More than 48 KiB of dynamic shared memory have to be asked for, and a
  // search wants to know what the kernel takes.
  void prepare(int threads, wb::i64 shared_bytes) const {
    int device = 0, most = 0, blocks = 0;
    WB_CHECK(cudaGetDevice(&device));
    WB_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    if (shared_bytes > most) throw wb::Unsupported("more shared memory than a block may have");
    WB_CHECK(cudaKernelSetAttributeForDevice(kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                             static_cast<int>(shared_bytes), device));
    WB_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &blocks, reinterpret_cast<const void*>(kernel_), threads, shared_bytes));
    cudaFuncAttributes is;
    WB_CHECK(cudaFuncGetAttributes(&is, reinterpret_cast<const void*>(kernel_)));
    tell({blocks * threads, is.numRegs, static_cast<int>(is.localSizeBytes)});
  }

  // The arguments have exactly the types of the kernel's parameters.
  template <class... Args>
  void launch(dim3 grid, dim3 block, std::size_t shared, cudaStream_t stream,
              const Args&... args) const {
    void* pointers[] = {const_cast<void*>(static_cast<const void*>(&args))...};
    WB_CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(kernel_), grid, block, pointers, shared,
                              stream));
  }

 private:
  cudaKernel_t kernel_ = nullptr;
};

}  // namespace tune
