// The exercise, solved: a warp's 128 elements need 32 calls. Each lane makes one of them and puts
// its four words into shared memory, where they are in the order of the elements. Then each lane
// reads the words of its elements. The loads are issued before the calls, so that they are in
// flight.
#include "dropout.h"
#include "wb/cuda.h"
#include "wb/half.cuh"

namespace {

constexpr int kThreads = 256;
constexpr int kSteps = 4;  // elements per thread

template <class T>
__global__ void dropout(wb::i64 n, const T* __restrict__ x, T* __restrict__ y, std::uint64_t seed,
                        std::uint32_t threshold, float scale) {
  __shared__ Words words[kThreads / 32][32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const wb::i64 first = (static_cast<wb::i64>(blockIdx.x) * kThreads + warp * 32) * kSteps;
  float value[kSteps];
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
    const wb::i64 i = first + step * 32 + lane;
    value[step] = i < n ? wb::to_float(x[i]) : 0;
  }
  words[warp][lane] = random_words(seed, first / 4 + lane);
  __syncwarp();
  const std::uint32_t* random = words[warp][0].word;  // 128 of them
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
    const wb::i64 i = first + step * 32 + lane;
    if (i < n)
      y[i] = wb::from_float<T>(random[step * 32 + lane] >= threshold ? scale * value[step] : 0);
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

WB_CUDA(Dropout, solution, run);
