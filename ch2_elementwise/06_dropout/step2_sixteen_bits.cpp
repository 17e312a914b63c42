// Changes against step 1: 16 random bits decide about an element instead of 32, so a call is enough
// for eight. The mask is another one: p = 0.1 becomes 6554 / 65536 = 0.100006.
//
// Predict: half the calls for the same bytes. How much of the time goes?
#include "convert.h"
#include "dropout.h"
#include "wb/cpu.h"

namespace {

template <class T> void dropout(const SixteenBits::Args& p, const T* x, T* y) {
  const float scale = static_cast<float>(p.scale);
  const auto element = [&](wb::i64 i, std::uint32_t piece) {
    y[i] = dropped_unless(piece >= p.threshold, scale, x[i]);
  };
#pragma omp parallel for schedule(static)
  for (wb::i64 call = 0; call < p.n / 8; ++call) {
    const Words words = random_words(p.seed, call);
    for (int j = 0; j < 4; ++j) {
      element(8 * call + 2 * j, words.word[j] & 0xFFFF);
      element(8 * call + 2 * j + 1, words.word[j] >> 16);
    }
  }
  const Words words = random_words(p.seed, p.n / 8);  // what is left
  for (wb::i64 i = p.n / 8 * 8; i < p.n; ++i)
    element(i, words.word[i % 8 / 2] >> (i % 2 * 16) & 0xFFFF);
}

void run(const SixteenBits::Args& p) {
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = decltype(zero);
    dropout(p, static_cast<const T*>(p.x), static_cast<T*>(p.y));
  });
}

}  // namespace

WB_CPU(SixteenBits, step2_sixteen_bits, run);
WB_PROBLEM(SixteenBits);
