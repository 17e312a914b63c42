// Against the baseline: temporaries come from the device's memory pool, in stream order. A request
// gets the memory that the one before has given back, and the host runs ahead. cudaMallocAsync(...)
// is the short way to write this.
//
// Predict: by default the pool gives unused memory back to the system whenever the host waits for
// the device. How much is left of the gain if the host waits after each request (requests=1)?
#include "pool.cuh"
#include "request.cuh"

namespace {

auto make(const Preallocation::Args& p) {
  cudaMemPool_t pool;
  WB_CHECK(cudaDeviceGetDefaultMemPool(&pool, pool_device()));
  return [p, pool](cudaStream_t stream) {
    for (wb::i64 r = 0; r < p.requests; ++r) {
      const auto blurred = make_temporary(p.samples, pool, stream);
      const auto smooth = make_temporary(p.samples, pool, stream);
      process(p.signal(r), p.answer(r), p.samples, blurred.get(), smooth.get(), stream);
    }
  };
}

}  // namespace

WB_CUDA(Preallocation, step1_pool, make);
