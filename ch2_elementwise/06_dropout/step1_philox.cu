// Changes against baseline: one kernel. A thread makes the random words for its eight elements
// where it needs them, in registers. A counter-based generator can do that: it has no state to load
// and to store, and the number of a call follows from the number of the element.
//
// Predict: what does it gain for fp32, and what for bf16? Which of the two has less time for the
// multiplications?
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
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const Words words = random_words(seed, first / 4 + half);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      float& v = value[4 * half + j];
      v = words.word[j] >= threshold ? scale * v : 0;
    }
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

WB_CUDA(Dropout, step1_philox, run);
