// For comparison: step 1 with cuRAND's generator for kernels instead of ours. Its Philox counts in
// words, four per call, so the words of call c begin at offset 4c of sequence 0, and the mask is
// the same as ours to the bit.
//
// Predict: a state of 64 bytes is set up for each call. Does it ever reach memory?
#include <curand_kernel.h>

#include "tile.cuh"

namespace {

constexpr int kThreads = 256;

template <class T>
__global__ void dropout(wb::i64 n, const T* x, T* y, bool aligned, std::uint64_t seed,
                        std::uint32_t threshold, float scale) {
  const wb::i64 first = 8 * (static_cast<wb::i64>(blockIdx.x) * kThreads + threadIdx.x);
  if (first >= n) return;
  float value[8];
  load(x + first, n - first, aligned, value);
  curandStatePhilox4_32_10_t state;
  curand_init(seed, /*subsequence=*/0, /*offset=*/first, &state);
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const uint4 words = curand4(&state);
    value[4 * half] = words.x >= threshold ? scale * value[4 * half] : 0;
    value[4 * half + 1] = words.y >= threshold ? scale * value[4 * half + 1] : 0;
    value[4 * half + 2] = words.z >= threshold ? scale * value[4 * half + 2] : 0;
    value[4 * half + 3] = words.w >= threshold ? scale * value[4 * half + 3] : 0;
  }
  store(y + first, n - first, aligned, value);
}

void run(const Dropout::Args& p, cudaStream_t stream) {
  if (p.n == 0) return;
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = wb::DeviceType<decltype(zero)>;
    dropout<<<(p.n + 8 * kThreads - 1) / (8 * kThreads), kThreads, 0, stream>>>(
        p.n, static_cast<const T*>(p.x), static_cast<T*>(p.y), aligned(p), p.seed, p.threshold,
        static_cast<float>(p.scale));
    WB_CHECK(cudaGetLastError());
  });
}

}  // namespace

WB_CUDA(Dropout, library, run);
