// cp.async as __pipeline_memcpy_async has it, with one wish more: L2 brings 128 bytes when it
// brings any. A slice of A takes 32 bytes of each row, and the next three slices find theirs in L2.
#pragma once

#include <cuda_pipeline_primitives.h>

#include "wb/cuda.h"

namespace sgemm {

template <int kBytes>  // zeros where `there` is false
__device__ inline void copy_async(float* to, const float* from, bool there) {
#if __CUDA_ARCH__ >= 800
  const auto at = static_cast<unsigned>(__cvta_generic_to_shared(to));
  if constexpr (kBytes == 16)
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(at), "l"(from),
                 "r"(there ? kBytes : 0));
  else
    asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], %3, %2;" ::"r"(at), "l"(from),
                 "r"(there ? kBytes : 0), "n"(kBytes));
#else
  __pipeline_memcpy_async(to, from, kBytes, there ? 0 : kBytes);
#endif
}

}  // namespace sgemm
