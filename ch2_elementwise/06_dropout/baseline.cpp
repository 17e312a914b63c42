// The program that one writes first: the standard library's generator fills a mask, and a second
// loop applies it. It has one thread, because the generator is a chain: each number comes from a
// state that the number before has changed.
//
// Predict: which loop takes longer, the one that draws or the one that moves the data? And what
// would it take to give the second half of the array to another thread?
#include <random>
#include <vector>

#include "convert.h"
#include "dropout.h"
#include "wb/cpu.h"

namespace {

// The Mersenne Twister's mask is another one, and can be checked as well: the standard says what
// each number is.
struct MersenneTwister : Dropout {
  static void reference(const Args& p) {
    std::mt19937 engine(static_cast<std::uint32_t>(p.seed));
    std::vector<std::uint32_t> numbers(p.n);
    for (std::uint32_t& number : numbers) number = static_cast<std::uint32_t>(engine());
    apply(p, [&](wb::i64 i) { return numbers[i] >= p.threshold; });
  }
};

auto make(const Dropout::Args& p) {
  return [p, mask = std::vector<std::uint8_t>(p.n)]() mutable {
    std::mt19937 engine(static_cast<std::uint32_t>(p.seed));
    for (std::uint8_t& keep : mask) keep = engine() >= p.threshold;
    wb::with_dtype(p.dtype, [&](auto zero) {
      using T = decltype(zero);
      const T* x = static_cast<const T*>(p.x);
      T* y = static_cast<T*>(p.y);
      const float scale = static_cast<float>(p.scale);
      for (wb::i64 i = 0; i < p.n; ++i) y[i] = dropped_unless(mask[i], scale, x[i]);
    });
  };
}

}  // namespace

WB_CPU(MersenneTwister, baseline, make);
WB_EXERCISE(Dropout);
