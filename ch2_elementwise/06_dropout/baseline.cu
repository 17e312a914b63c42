// Two kernels and an array between them, as with a library that fills memory with random numbers
// (curandGenerate): the first writes a random word for each element, the second reads it, compares
// it with the threshold, and writes the element. The words come from Philox, so that the mask is
// the one that the problem asks for.
//
// Predict: an fp32 element is 4 bytes in and 4 bytes out. How many bytes move here? And of a bf16
// element?
#include "dropout.h"
#include "wb/cuda.h"
#include "wb/half.cuh"

namespace {

constexpr int kThreads = 256;

__global__ void generate(wb::i64 calls, std::uint64_t seed, Words* words) {
  const wb::i64 call = static_cast<wb::i64>(blockIdx.x) * kThreads + threadIdx.x;
  if (call < calls) words[call] = random_words(seed, call);
}

template <class T>
__global__ void apply(wb::i64 n, const T* x, T* y, const std::uint32_t* random,
                      std::uint32_t threshold, float scale) {
  const wb::i64 i = static_cast<wb::i64>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < n) y[i] = wb::from_float<T>(random[i] >= threshold ? scale * wb::to_float(x[i]) : 0);
}

auto make(const Dropout::Args& p) {
  const wb::i64 calls = (p.n + 3) / 4;
  return [p, calls, words = wb::make_device_array<Words>(calls)](cudaStream_t stream) {
    if (p.n == 0) return;
    generate<<<(calls + kThreads - 1) / kThreads, kThreads, 0, stream>>>(calls, p.seed,
                                                                         words.get());
    WB_CHECK(cudaGetLastError());
    wb::with_dtype(p.dtype, [&](auto zero) {
      using T = wb::DeviceType<decltype(zero)>;
      apply<<<(p.n + kThreads - 1) / kThreads, kThreads, 0, stream>>>(
          p.n, static_cast<const T*>(p.x), static_cast<T*>(p.y), words.get()->word, p.threshold,
          static_cast<float>(p.scale));
      WB_CHECK(cudaGetLastError());
    });
  };
}

}  // namespace

WB_CUDA(Dropout, baseline, make);
