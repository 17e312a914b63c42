// Temporaries in stream order: allocating and freeing are enqueued like kernels, and the host does
// not wait.
#pragma once

#include <algorithm>
#include <memory>

#include "wb/cuda.h"

namespace {

using Pool = std::shared_ptr<std::remove_pointer_t<cudaMemPool_t>>;

int pool_device() {
  int device, supported;
  WB_CHECK(cudaGetDevice(&device));
  WB_CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, device));
  if (!supported) throw wb::Unsupported("needs a GPU and driver with memory pools");
  return device;
}

// `count` floats that may be used by what is enqueued on `stream` from here on, until the last
// owner goes.
std::shared_ptr<float[]> make_temporary(wb::i64 count, cudaMemPool_t pool, cudaStream_t stream) {
  float* data = nullptr;
  const std::size_t bytes = std::max<wb::i64>(count, 1) * sizeof(float);
  WB_CHECK(cudaMallocFromPoolAsync(&data, bytes, pool, stream));
  return std::shared_ptr<float[]>(data, [stream](float* d) { cudaFreeAsync(d, stream); });
}

}  // namespace
