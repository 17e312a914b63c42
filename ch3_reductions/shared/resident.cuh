// Threads that a multiprocessor holds: "Maximum number of resident threads per SM" in the CUDA C++
// Programming Guide. The compiler ignores a launch bound that asks for more of them.
#pragma once

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || \
    __CUDA_ARCH__ == 1000 || __CUDA_ARCH__ == 1030
constexpr int kResidentThreads = 2048;
#else
constexpr int kResidentThreads = __CUDA_ARCH__ < 800 ? 1024 : 1536;
#endif
