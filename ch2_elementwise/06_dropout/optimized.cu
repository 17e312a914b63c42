// Changes against step 2: four vectors of 16 bytes a thread, all on their way before the first
// multiplication; two 16-bit elements are packed at once; and for fp32 lanes swap random bits.
//
// The swap: eight fp32 elements are two vectors. In step 2 both belong to one lane, and each load
// of a warp takes every other 16 bytes. Here neighbouring lanes take neighbouring vectors, so a
// vector needs half of a call, and the neighbour's needs the rest. Of two rows of vectors, even
// lanes make the calls for the first and odd lanes those for the second; then they swap halves.
//
// Predict: does any of this matter at 8192 x 8192? For which type more?
#include "tile.cuh"
#include "vector.cuh"

namespace {

// The random words for a thread's vectors of four fp32 elements, two words each.
template <int kThreads, int kVectors>
__device__ void make_bits(std::uint64_t seed, wb::i64 first, std::uint32_t (&bits)[kVectors][2]) {
  const bool odd = threadIdx.x % 2;
#pragma unroll
  for (int v = 0; v + 1 < kVectors; v += 2) {
    const Words words = random_words(seed, (first + (v + odd) * kThreads) / 2);
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const std::uint32_t low = words.word[j], high = words.word[2 + j];
      const std::uint32_t taken = __shfl_xor_sync(~0u, odd ? low : high, 1);
      bits[v][j] = odd ? taken : low;
      bits[v + 1][j] = odd ? high : taken;
    }
  }
  if constexpr (kVectors == 1) {  // no second row: both lanes make the call
    const Words words = random_words(seed, first / 2);
    for (int j = 0; j < 2; ++j) bits[0][j] = odd ? words.word[2 + j] : words.word[j];
  }
}

// ... and of eight elements of 16 bits, a call each.
template <int kThreads, int kVectors>
__device__ void make_bits(std::uint64_t seed, wb::i64 first, std::uint32_t (&bits)[kVectors][4]) {
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    const Words words = random_words(seed, first + v * kThreads);
#pragma unroll
    for (int j = 0; j < 4; ++j) bits[v][j] = words.word[j];
  }
}

template <class T, int kThreads, int kVectors>
__global__ void __launch_bounds__(kThreads)
    dropout(wb::i64 n, const T* x, T* y, bool aligned, std::uint64_t seed, std::uint32_t limit,
            float scale) {
  constexpr int kTile = kThreads * kVectors * kWidth<T>;
  const wb::i64 first = static_cast<wb::i64>(blockIdx.x) * (kThreads * kVectors) + threadIdx.x;
  const bool whole = aligned && (blockIdx.x + wb::i64{1}) * kTile <= n;  // the same for a block
  Vector<T> value[kVectors];
#pragma unroll
  for (int v = 0; v < kVectors; ++v) value[v].load(x, first + v * kThreads, n, whole);
  std::uint32_t bits[kVectors][kWidth<T> / 2];
  make_bits<kThreads>(seed, first, bits);
#pragma unroll
  for (int v = 0; v < kVectors; ++v) value[v].drop(bits[v], limit, scale);
#pragma unroll
  for (int v = 0; v < kVectors; ++v) value[v].store(y, first + v * kThreads, n, whole);
}

template <class T, int kThreads, int kVectors>
void launch(const SixteenBits::Args& p, cudaStream_t stream) {
  constexpr int kTile = kThreads * kVectors * kWidth<T>;
  dropout<T, kThreads, kVectors><<<(p.n + kTile - 1) / kTile, kThreads, 0, stream>>>(
      p.n, static_cast<const T*>(p.x), static_cast<T*>(p.y), aligned(p), p.seed, p.threshold << 16,
      static_cast<float>(p.scale));
  WB_CHECK(cudaGetLastError());
}

void run(const SixteenBits::Args& p, cudaStream_t stream) {
  if (p.n == 0) return;
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = wb::DeviceType<decltype(zero)>;
    // Where there is little to do, more threads with less each reach more multiprocessors.
    if (p.n / kWidth<T> < 1 << 19)
      launch<T, 128, 1>(p, stream);
    else
      launch<T, 256, 4>(p, stream);
  });
}

}  // namespace

WB_CUDA(SixteenBits, optimized, run);
