// Launches of clusters: blocks that run at the same time and write to each other's shared memory
// (compute capability 9.0). Of each `size` blocks, `threads` per block, with `bytes` of dynamic
// shared memory.
#pragma once

#include <cooperative_groups.h>

#include <algorithm>

#include "wb/cuda.h"

namespace {

constexpr int kPortableCluster = 8;  // blocks; any GPU with clusters holds that
constexpr int kMostCluster = 16;     // has to be asked for

template <class... Args> struct Clusters {
  void (*kernel)(Args...);
  int size, threads, bytes;

  // How many of them the device holds at a time. The kernel has no body where it was compiled for
  // less than 9.0, and the device alone does not say so: one of 10.0 also runs code for 8.0.
  int resident() const {
    cudaFuncAttributes attributes;
    WB_CHECK(cudaFuncGetAttributes(&attributes, kernel));
    if (attributes.ptxVersion < 90) throw wb::Unsupported("clusters need a GPU and code for 9.0");
    wb::allow_shared(kernel, bytes);
    if (size > kPortableCluster)  // a GPU without such clusters may refuse it here, or below
      cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    int count = 0;
    with_config(1, nullptr, [&](const cudaLaunchConfig_t& config) {
      if (cudaOccupancyMaxActiveClusters(&count, kernel, &config) != cudaSuccess) count = 0;
    });
    cudaGetLastError();  // or the next launch would be blamed for this
    if (count > 0) return count;
    throw wb::Unsupported("this GPU holds no cluster of " + std::to_string(size) + " such blocks");
  }
  void launch(wb::i64 clusters, cudaStream_t stream, Args... args) const {
    with_config(clusters, stream, [&](const cudaLaunchConfig_t& config) {
      WB_CHECK(cudaLaunchKernelEx(&config, kernel, args...));
    });
  }

 private:
  template <class F> void with_config(wb::i64 clusters, cudaStream_t stream, F f) const {
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {static_cast<unsigned>(size), 1, 1};
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(static_cast<unsigned>(clusters * size));
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.dynamicSmemBytes = bytes, config.stream = stream;
    config.attrs = &cluster, config.numAttrs = 1;
    f(config);
  }
};

}  // namespace
