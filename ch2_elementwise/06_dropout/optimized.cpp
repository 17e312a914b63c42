// Changes against step 2: vectors. Several calls of Philox run side by side, one in each lane, into
// a block of random bits in L1, while the next elements are on their way; the mask is applied to a
// vector at a time; and the result goes past the caches.
//
// Predict: the multiplications are still there, 20 per call. Does memory decide now, or do they?
#include "convert.h"
#include "vectors.h"
#include "wb/cpu.h"

namespace {

constexpr int kBlock = 512;  // elements: 1 KiB of random bits

template <class T> void dropout(const SixteenBits::Args& p, const T* x, T* y) {
  const float scale = static_cast<float>(p.scale);
  const auto threshold = static_cast<std::uint16_t>(p.threshold);
  const RoundKeys keys(p.seed);
#pragma omp parallel
  {
    alignas(64) std::uint16_t bits[kBlock];
    alignas(64) T result[kBlock];
#pragma omp for schedule(static) nowait
    for (wb::i64 first = 0; first < p.n; first += kBlock) {
      for (int i = 0; i < kBlock; i += 64 / sizeof(T)) __builtin_prefetch(x + first + kBlock + i);
      for (int i = 0; i < kBlock; i += 8 * kCalls) random_bits(keys, (first + i) / 8, bits + i);
      const auto apply = [&](int count) {
        for (int i = 0; i < count; ++i)
          result[i] = dropped_unless(bits[i] >= threshold, scale, x[first + i]);
        stream(y + first, result, count * sizeof(T));
      };
      if (first + kBlock <= p.n)
        apply(kBlock);  // a number that the compiler knows
      else
        apply(static_cast<int>(p.n - first));
    }
    finish_streaming();
  }
}

void run(const SixteenBits::Args& p) {
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = decltype(zero);
    dropout(p, static_cast<const T*>(p.x), static_cast<T*>(p.y));
  });
}

}  // namespace

WB_CPU(SixteenBits, optimized, run);
WB_PROBLEM(SixteenBits);
