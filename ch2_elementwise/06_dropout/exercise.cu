// One element per lane and step, in the order that memory likes: lane by lane, 4 steps, 32 elements
// apart. Each element has its own call of Philox, as when each thread asks a generator for one
// number. Three of the four words that come back are thrown away, and the neighbouring lanes make
// the same call again.
//
// TODO: make each call once. Keep which lane loads and stores which element.
// Goal: 1.5 times baseline at op=forward,dtype=bf16,rows=8192,columns=8192,percent=50
// Goal: 0.95 times optimized at op=forward,dtype=fp32,rows=8192,columns=8192,percent=50
// Goal: at least 0.95 used_of_moved_bytes at op=forward,dtype=bf16,rows=256,columns=512,percent=50
// Hints are in README.md.
#include "dropout.h"
#include "wb/cuda.h"
#include "wb/half.cuh"

namespace {

constexpr int kThreads = 256;
constexpr int kSteps = 4;  // elements per thread

template <class T>
__global__ void dropout(wb::i64 n, const T* x, T* y, std::uint64_t seed, std::uint32_t threshold,
                        float scale) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const wb::i64 first = (static_cast<wb::i64>(blockIdx.x) * kThreads + warp * 32) * kSteps;
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
    const wb::i64 i = first + step * 32 + lane;
    const Words words = random_words(seed, i / 4);
    const std::uint32_t low = i % 2 ? words.word[1] : words.word[0];
    const std::uint32_t high = i % 2 ? words.word[3] : words.word[2];
    const std::uint32_t random = i % 4 < 2 ? low : high;
    if (i < n) y[i] = wb::from_float<T>(random >= threshold ? scale * wb::to_float(x[i]) : 0);
  }
}

void run(const Dropout::Args& p, cudaStream_t stream) {
  if (p.n == 0) return;
  constexpr int kTile = kThreads * kSteps;
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = wb::DeviceType<decltype(zero)>;
    dropout<<<(p.n + kTile - 1) / kTile, kThreads, 0, stream>>>(
        p.n, static_cast<const T*>(p.x), static_cast<T*>(p.y), p.seed, p.threshold,
        static_cast<float>(p.scale));
    WB_CHECK(cudaGetLastError());
  });
}

}  // namespace

WB_CUDA(Dropout, exercise, run);
