// The exercise, solved: four vectors of accumulators for each result, one at each of four places of
// a piece. Each vector that is loaded goes to both results. The pieces are those of optimized.cpp.
#include "pieces.h"
#include "sum.h"
#include "wb/cpu.h"

namespace {

template <class T> void range(const T* x, wb::i64 n, float* smallest, float* largest) {
  constexpr int kPlaces = 4;
  const wb::i64 part = n / (kPlaces * kLanes) * kLanes;
  Vector low[kPlaces], high[kPlaces];
  std::fill_n(low, kPlaces, filled(Minimum::identity()));
  std::fill_n(high, kPlaces, filled(Maximum::identity()));
  for (wb::i64 i = 0; i < part; i += kLanes)
    for (int j = 0; j < kPlaces; ++j) {
      const Vector value = load(x + j * part + i);
      low[j] = Minimum::combine(low[j], value), high[j] = Maximum::combine(high[j], value);
    }
  for (int j = 1; j < kPlaces; ++j)
    low[0] = Minimum::combine(low[0], low[j]), high[0] = Maximum::combine(high[0], high[j]);
  *smallest = lanes_reduce<Minimum>(low[0]), *largest = lanes_reduce<Maximum>(high[0]);
  for (wb::i64 i = kPlaces * part; i < n; ++i) {
    const float value = static_cast<float>(x[i]);
    *smallest = Minimum::combine(*smallest, value), *largest = Maximum::combine(*largest, value);
  }
}

void run(const Range::Args& p) {
  wb::with_dtype(p.dtype, [&](auto zero) {
    const auto* x = static_cast<const decltype(zero)*>(p.x);
    std::array<float, kPieces> smallest, largest;
    smallest.fill(Minimum::identity()), largest.fill(Maximum::identity());
#pragma omp parallel for schedule(static) if (Range::cost(p).read > kAlone)
    for (int piece = 0; piece < pieces_of(p.n); ++piece) {
      const wb::i64 begin = piece_begin(p.n, piece), end = piece_begin(p.n, piece + 1);
      range(x + begin, end - begin, &smallest[piece], &largest[piece]);
    }
    p.result[0] = reduce_pieces<Minimum>(smallest), p.result[1] = reduce_pieces<Maximum>(largest);
  });
}

}  // namespace

WB_CPU(Range, solution, run);
WB_NOTE("another problem than the baseline's: the smallest and the largest, in one array");
