// Changes against baseline: only as many threads as the device holds at a time, and each goes
// through the array with the grid's width as its stride. All blocks start at once, and one launch
// serves any n.
//
// Predict: is it faster? Count the bytes in flight again: a thread can't load for its next element
// before it has stored this one, because the compiler has to assume that z overlaps x.
#include <algorithm>

#include "add.h"
#include "packs.cuh"
#include "wb/cuda.h"

namespace {

constexpr int kThreads = 256;

template <class T> __global__ void add(wb::i64 n, const T* x, const T* y, T* z) {
  const wb::i64 first = static_cast<wb::i64>(blockIdx.x) * kThreads + threadIdx.x;
  const wb::i64 step = static_cast<wb::i64>(gridDim.x) * kThreads;
  for (wb::i64 i = first; i < n; i += step) z[i] = plus(x[i], y[i]);
}

auto make(const Add::Args& p) {
  // A wave: the blocks that run at a time. 2048 threads per multiprocessor on compute capability
  // 8.0 and 9.0, and fewer on some others (8.6: 1536, 7.5: 1024).
  int device = 0, multiprocessors = 0, resident = 0;
  WB_CHECK(cudaGetDevice(&device));
  WB_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  WB_CHECK(cudaDeviceGetAttribute(&resident, cudaDevAttrMaxThreadsPerMultiProcessor, device));
  const unsigned wave = multiprocessors * (resident / kThreads);
  return [p, wave](cudaStream_t stream) {
    if (p.n == 0) return;
    wb::with_dtype(p.dtype, [&](auto zero) {
      using T = wb::DeviceType<decltype(zero)>;
      add<<<std::min(wave, blocks(p.n, kThreads)), kThreads, 0, stream>>>(
          p.n, static_cast<const T*>(p.x), static_cast<const T*>(p.y), static_cast<T*>(p.z));
      WB_CHECK(cudaGetLastError());
    });
  };
}

}  // namespace

WB_CUDA(Add, step1_grid_stride, make);
