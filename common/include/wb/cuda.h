// For a lesson's .cu variants.
//
//   void run(const Saxpy::Args& p, cudaStream_t stream) {  // pointers in p are device pointers
//     kernel<<<grid, block, 0, stream>>>(...);
//   }
//   WB_CUDA(Saxpy, baseline, run);
//
//   auto make(const Saxpy::Args& p) {  // untimed set-up: handles, plans, graphs
//     return [p, handle](cudaStream_t stream) { ... };  // what is timed
//   }
//   WB_CUDA(Saxpy, optimized, make);
//
// Everything must be enqueued on `stream`, or joined to it by events: verification finds the
// results of other work missing, and unless a lesson times the wall clock, such work is not timed.
#pragma once

#include <cuda_runtime.h>

#include "wb/variant.h"

namespace wb {

// Throws std::runtime_error "file:line: call: error name (text)" when a CUDA call fails,
// Unsupported with a hint when the device has no memory left.
void check(cudaError_t status, const char* call, const char* file, int line);

#define WB_CHECK(CALL) wb::check((CALL), #CALL, __FILE__, __LINE__)

// So many blocks. Throws Unsupported where no launch takes that many.
inline dim3 grid(i64 x, i64 y = 1, i64 z = 1) {
  if (x > 0x7fffffff || y > 65535 || z > 65535)
    throw Unsupported("too large: a grid's x stops at 2^31 - 1 blocks, its y and z at 65,535");
  return dim3(static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z));
}

// Lets a block of the kernel have `bytes` of dynamic shared memory, which has to be asked for above
// 48 KiB. Throws Unsupported with both figures where the GPU has less for a block.
void allow_shared(const void* kernel, i64 bytes);
template <class... Args> void allow_shared(void (*kernel)(Args...), i64 bytes) {
  allow_shared(reinterpret_cast<const void*>(kernel), bytes);
}

// A function of the driver by its name, as CUDA 12.0 has it, so that no program links with libcuda.
// Null where the driver has none of that name.
void* driver_function(const char* name);

// What set-up makes; each frees itself with the variant that holds it.

using Stream = std::shared_ptr<std::remove_pointer_t<cudaStream_t>>;
inline Stream make_stream() {  // waits for no other stream, the default one included
  cudaStream_t stream;
  WB_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return Stream(stream, [](cudaStream_t s) { cudaStreamDestroy(s); });
}

using Event = std::shared_ptr<std::remove_pointer_t<cudaEvent_t>>;
inline Event make_event() {  // for ordering streams; it keeps no time
  cudaEvent_t event;
  WB_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  return Event(event, [](cudaEvent_t e) { cudaEventDestroy(e); });
}

template <class T> std::shared_ptr<T[]> make_device_array(i64 count) {
  T* data = nullptr;
  WB_CHECK(cudaMalloc(&data, count * sizeof(T)));
  return std::shared_ptr<T[]>(data, [](T* d) { cudaFree(d); });
}
// Of zeros, which are there when this returns, whatever stream the first launch is in.
template <class T> std::shared_ptr<T[]> make_device_zeros(i64 count) {
  const auto array = make_device_array<T>(count);
  WB_CHECK(cudaMemset(array.get(), 0, count * sizeof(T)));
  WB_CHECK(cudaStreamSynchronize(nullptr));
  return array;
}

}  // namespace wb

#ifndef WB_BACKEND  // the build may have another one for this dialect
#define WB_BACKEND "cuda"
#endif
#define WB_CUDA(PROBLEM, NAME, FUNCTION) \
  WB_VARIANT(PROBLEM, NAME, WB_BACKEND, FUNCTION, cudaStream_t)
