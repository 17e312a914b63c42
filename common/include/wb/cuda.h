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

template <class P, class F> Register register_cuda(const char* lesson, const char* name, F f) {
  using Args = typename P::Args;
  return {problem_of<P>(lesson), name, "cuda", [f](const void* args) -> Launch {
            const Args& p = *static_cast<const Args*>(args);
            if constexpr (std::is_invocable_v<F, const Args&, cudaStream_t>) {
              return [f, p](void* stream) { f(p, static_cast<cudaStream_t>(stream)); };
            } else {
              auto timed = std::make_shared<decltype(f(p))>(f(p));  // may be move-only
              return [timed](void* stream) { (*timed)(static_cast<cudaStream_t>(stream)); };
            }
          }};
}

}  // namespace wb

#define WB_CHECK(CALL) wb::check((CALL), #CALL, __FILE__, __LINE__)

// What set-up makes; each frees itself with the variant that holds it.
namespace wb {

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

}  // namespace wb

#define WB_CUDA(PROBLEM, NAME, FUNCTION)                                                \
  static_assert(wb::stem(__FILE__) == #NAME, "a variant carries the name of its file"); \
  static const wb::Register wb_register_##NAME =                                        \
      wb::register_cuda<PROBLEM>(WB_LESSON, #NAME, FUNCTION)
