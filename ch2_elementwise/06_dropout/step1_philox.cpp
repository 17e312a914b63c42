// Changes against baseline: Philox instead of the Mersenne Twister, and no mask in memory. Number i
// is a function of i, so the loop that needs it computes it, and all threads start at once.
//
// Predict: a call of Philox is 20 multiplications and 40 exclusive ors for four elements. Is one
// thread of this faster than the baseline? And what will bound it on all cores?
#include "convert.h"
#include "dropout.h"
#include "wb/cpu.h"

namespace {

template <class T> void dropout(const Dropout::Args& p, const T* x, T* y) {
  const float scale = static_cast<float>(p.scale);
  const auto element = [&](wb::i64 i, std::uint32_t word) {
    y[i] = dropped_unless(word >= p.threshold, scale, x[i]);
  };
#pragma omp parallel for schedule(static)
  for (wb::i64 call = 0; call < p.n / 4; ++call) {
    const Words words = random_words(p.seed, call);
    for (int j = 0; j < 4; ++j) element(4 * call + j, words.word[j]);
  }
  const Words words = random_words(p.seed, p.n / 4);  // the last one, two or three
  for (wb::i64 i = p.n / 4 * 4; i < p.n; ++i) element(i, words.word[i % 4]);
}

void run(const Dropout::Args& p) {
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = decltype(zero);
    dropout(p, static_cast<const T*>(p.x), static_cast<T*>(p.y));
  });
}

}  // namespace

WB_CPU(Dropout, step1_philox, run);
