// Changes against step 2: a thread's accesses are whole vectors of 16 bytes, next to its
// neighbours', for fp32, too; and two 16-bit elements are packed at once.
//
// Eight fp32 elements are two vectors. In step 2 both belong to one lane, and each load of a warp
// takes every other 16 bytes. Here neighbouring lanes have neighbouring vectors. Each makes the
// call that both need and uses one half of it: twice the arithmetic, in exchange for order in
// memory.
//
// Predict: does that pay at 8192 x 8192? For 16-bit elements none of this changes. What can they
// still gain?
#include "tile.cuh"
#include "vector.cuh"

namespace {

constexpr int kThreads = 128;

// The random bits for vector `index`, half a word per element: eight elements of 16 bits take all
// words of a call, four of fp32 take half of them.
__device__ void make_bits(std::uint64_t seed, wb::i64 index, std::uint32_t (&bits)[4]) {
  const Words words = random_words(seed, index);
#pragma unroll
  for (int i = 0; i < 4; ++i) bits[i] = words.word[i];
}
__device__ void make_bits(std::uint64_t seed, wb::i64 index, std::uint32_t (&bits)[2]) {
  const Words words = random_words(seed, index / 2);
#pragma unroll
  for (int i = 0; i < 2; ++i) bits[i] = index % 2 ? words.word[2 + i] : words.word[i];
}

template <class T, int kVectors>
__global__ void __launch_bounds__(kThreads)
    dropout(wb::i64 n, const T* x, T* y, bool aligned, std::uint64_t seed, std::uint32_t limit,
            float scale) {
  constexpr int kTile = kThreads * kVectors * kWidth<T>;
  const wb::i64 first = static_cast<wb::i64>(blockIdx.x) * (kThreads * kVectors) + threadIdx.x;
  const bool whole = aligned && (blockIdx.x + wb::i64{1}) * kTile <= n;  // the same for a block
  Vector<T> value[kVectors];
#pragma unroll
  for (int v = 0; v < kVectors; ++v) value[v].load(x, first + v * kThreads, n, whole);
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    std::uint32_t bits[kWidth<T> / 2];
    make_bits(seed, first + v * kThreads, bits);
    value[v].drop(bits, limit, scale);
    value[v].store(y, first + v * kThreads, n, whole);
  }
}

template <class T, int kVectors> void launch(const SixteenBits::Args& p, cudaStream_t stream) {
  constexpr int kTile = kThreads * kVectors * kWidth<T>;
  dropout<T, kVectors><<<(p.n + kTile - 1) / kTile, kThreads, 0, stream>>>(
      p.n, static_cast<const T*>(p.x), static_cast<T*>(p.y), aligned(p), p.seed, p.threshold << 16,
      static_cast<float>(p.scale));
  WB_CHECK(cudaGetLastError());
}

void run(const SixteenBits::Args& p, cudaStream_t stream) {
  if (p.n == 0) return;
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = wb::DeviceType<decltype(zero)>;
    // Between few blocks and very many of them a thread should have more bytes in flight (measured
    // on an H200; lesson 01_add says why).
    const wb::i64 bytes = p.n * static_cast<wb::i64>(sizeof(T));
    if (sizeof(T) == 2 && bytes > 1 << 20 && bytes <= 32 << 20)
      launch<T, 2>(p, stream);
    else
      launch<T, 1>(p, stream);
  });
}

}  // namespace

WB_CUDA(SixteenBits, optimized, run);
WB_PROBLEM(SixteenBits);
