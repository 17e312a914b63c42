// The exercise, solved: two loops over a block, both without a state, with its random words between
// them in L1. In the first loop each lane of a vector makes a call of Philox (vectors.h). In the
// second the compiler gives each lane an element. (The mask is that of step 1, 32 bits per element.
// Half of the calls would be enough, as step 2 shows, but they give another mask.)
#include <algorithm>

#include "convert.h"
#include "vectors.h"
#include "wb/cpu.h"

namespace {

constexpr int kBlock = 1024;  // elements
static_assert(kBlock % (4 * kCalls) == 0);

template <class T> void dropout(const Dropout::Args& p, const T* x, T* y) {
  const float scale = static_cast<float>(p.scale);
  const RoundKeys keys(p.seed);
#pragma omp parallel for schedule(static)
  for (wb::i64 first = 0; first < p.n; first += kBlock) {
    std::uint32_t random[kBlock];  // two pieces of 16 bits each
    auto* const bits = reinterpret_cast<std::uint16_t*>(random);
    for (int i = 0; i < kBlock; i += 4 * kCalls) random_bits(keys, (first + i) / 4, bits + 2 * i);
    const auto apply = [&](int count) {
      for (int i = 0; i < count; ++i)
        y[first + i] = dropped_unless(random[i] >= p.threshold, scale, x[first + i]);
    };
    if (first + kBlock <= p.n)
      apply(kBlock);  // a number that the compiler knows
    else
      apply(static_cast<int>(p.n - first));
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
