// The exercise, solved: two loops over a block, both without a state, with its random words between
// them in L1. In the first the compiler puts a call into each lane of its vectors, in the second an
// element. (It multiplies all 64 bits of a lane where 32 are wanted: what optimized gains by saying
// which instruction it means.)
#include <algorithm>

#include "convert.h"
#include "dropout.h"
#include "wb/cpu.h"

namespace {

constexpr int kBlock = 1024;  // elements

template <class T> void dropout(const Dropout::Args& p, const T* x, T* y) {
  const float scale = static_cast<float>(p.scale);
#pragma omp parallel for schedule(static)
  for (wb::i64 first = 0; first < p.n; first += kBlock) {
    std::uint32_t random[kBlock];
#pragma omp simd
    for (int call = 0; call < kBlock / 4; ++call) {
      const Words words = random_words(p.seed, first / 4 + call);
      for (int j = 0; j < 4; ++j) random[4 * call + j] = words.word[j];
    }
    const int count = static_cast<int>(std::min<wb::i64>(kBlock, p.n - first));
    for (int i = 0; i < count; ++i)
      y[first + i] = dropped_unless(random[i] >= p.threshold, scale, x[first + i]);
  }
}

void run(const Dropout::Args& p) {
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = decltype(zero);
    dropout(p, static_cast<const T*>(p.x), static_cast<T*>(p.y));
  });
}

}  // namespace

WB_CPU(Dropout, solution, run);
