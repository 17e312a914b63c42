// Against step 1: the pool keeps what it has, up to its release threshold: one attribute, set once.
// (Programs set it on the device's default pool. This is a separate pool, so that the setting does
// not reach the other variants of this process.)
//
// Predict: what does a request still have to pay for? How much slower can it be than no allocation?
#include <cstdint>

#include "pool.cuh"
#include "request.cuh"

namespace {

Pool make_pool() {
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = pool_device();
  cudaMemPool_t handle;
  WB_CHECK(cudaMemPoolCreate(&handle, &properties));
  const Pool pool(handle, [](cudaMemPool_t p) { cudaMemPoolDestroy(p); });
  std::uint64_t everything = UINT64_MAX;
  WB_CHECK(cudaMemPoolSetAttribute(handle, cudaMemPoolAttrReleaseThreshold, &everything));
  return pool;
}

auto make(const Preallocation::Args& p) {
  return [p, pool = make_pool()](cudaStream_t stream) {
    for (wb::i64 r = 0; r < p.requests; ++r) {
      const auto blurred = make_temporary(p.samples, pool.get(), stream);
      const auto smooth = make_temporary(p.samples, pool.get(), stream);
      process(p.signal(r), p.answer(r), p.samples, blurred.get(), smooth.get(), stream);
    }
  };
}

}  // namespace

WB_CUDA(Preallocation, step2_pool_keeps, make);
