// Two kernels and an array between them, as with a library that fills memory with random numbers
// (curandGenerate): the first writes a random word for each element, the second reads it, compares
// it with the threshold, and writes the element. The words come from Philox, so that the mask is
// the one that the problem asks for.
//
// Predict: an fp32 element is 4 bytes in and 4 bytes out. How many bytes move here? And of a bf16
// element?
#include "tile.cuh"

namespace {

constexpr int kThreads = 256;

__global__ void generate(wb::i64 calls, std::uint64_t seed, Words* words) {
  const wb::i64 call = static_cast<wb::i64>(blockIdx.x) * kThreads + threadIdx.x;
  if (call < calls) words[call] = random_words(seed, call);
}

template <class T>
__global__ void apply(wb::i64 n, const T* x, T* y, bool aligned, const Words* words,
                      std::uint32_t threshold, float scale) {
  const wb::i64 first = 8 * (static_cast<wb::i64>(blockIdx.x) * kThreads + threadIdx.x);
  if (first >= n) return;
  float value[8];
  load(x + first, n - first, aligned, value);
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const Words random = words[first / 4 + half];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      float& v = value[4 * half + j];
      v = random.word[j] >= threshold ? scale * v : 0;
    }
  }
  store(y + first, n - first, aligned, value);
}

auto make(const Dropout::Args& p) {
  const wb::i64 calls = (p.n + 7) / 8 * 2;  // two for each eight elements, as they are applied
  return [p, calls, words = wb::make_device_array<Words>(calls)](cudaStream_t stream) {
    if (p.n == 0) return;
    generate<<<(calls + kThreads - 1) / kThreads, kThreads, 0, stream>>>(calls, p.seed,
                                                                         words.get());
    WB_CHECK(cudaGetLastError());
    wb::with_dtype(p.dtype, [&](auto zero) {
      using T = wb::DeviceType<decltype(zero)>;
      apply<<<(p.n + 8 * kThreads - 1) / (8 * kThreads), kThreads, 0, stream>>>(
          p.n, static_cast<const T*>(p.x), static_cast<T*>(p.y), aligned(p), words.get(),
          p.threshold, static_cast<float>(p.scale));
      WB_CHECK(cudaGetLastError());
    });
  };
}

}  // namespace

WB_CUDA(Dropout, baseline, make);
