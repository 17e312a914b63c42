// The kernel that one writes first: one thread per element, 256 threads per block.
//
// Predict: an H200's multiprocessor holds 2048 threads, and each waits for two loads. How many
// bytes are in flight in fp32, and how many in bf16? (For its full bandwidth an H200 needs more
// than 16 KiB per multiprocessor; 32 KiB are enough.)
#include "add.h"
#include "packs.cuh"
#include "wb/cuda.h"

namespace {

constexpr int kThreads = 256;

template <class T> __global__ void add(wb::i64 n, const T* x, const T* y, T* z) {
  const wb::i64 i = static_cast<wb::i64>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < n) z[i] = plus(x[i], y[i]);
}

void run(const Add::Args& p, cudaStream_t stream) {
  if (p.n == 0) return;
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = wb::DeviceType<decltype(zero)>;
    add<<<blocks(p.n, kThreads), kThreads, 0, stream>>>(
        p.n, static_cast<const T*>(p.x), static_cast<const T*>(p.y), static_cast<T*>(p.z));
    WB_CHECK(cudaGetLastError());
  });
}

}  // namespace

WB_CUDA(Add, baseline, run);
WB_EXERCISE(ScaledAdd);
