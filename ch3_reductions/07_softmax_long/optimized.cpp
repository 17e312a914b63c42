// Changes against step 1: a core goes over a piece for the maximum and for the sum while its own
// cache has the piece. The sum is relative to the piece's own maximum, and the pairs of all pieces
// are merged later (online softmax). A second pass takes the exponentials again, relative to the
// row's maximum, before the next rows come, while the shared cache still has the row. So no buffer
// of exponentials goes to memory, and results go past the caches in whole lines (lines.h). The
// pieces do not depend on the number of cores, and neither does the result.
//
// Predict: what of step 1's traffic is gone for rows of a million? What does that cost?
#include <cfloat>
#include <vector>

#include "../shared/lines.h"
#include "../softmax/passes.h"
#include "softmax_long.h"

namespace {

constexpr i64 kPiece = 1 << 14;     // elements; as floats 64 KiB
constexpr i64 kTogether = 1 << 20;  // elements of rows in pieces, before their second pass

struct Part {
  float max, sum;
};

// The row's value from those of its pieces.
Part combined(const Part* parts, i64 pieces) {
  Part all = {-kInfinity, 0};
  for (i64 i = 0; i < pieces; ++i) all.max = std::max(all.max, parts[i].max);
  for (i64 i = 0; i < pieces; ++i)
    all.sum += parts[i].max == -kInfinity ? parts[i].sum * 0  // 0, or NaN
                                          : parts[i].sum * std::exp(parts[i].max - all.max);
  return all;
}

template <class T> void long_rows(const Rows<T>& r, i64 pieces, bool past_caches, Part* parts) {
  const i64 together = std::max<i64>(kTogether / r.columns, 1);  // rows
  const auto count = [&](i64 i) { return std::min(kPiece, r.columns - i % pieces * kPiece); };
  const auto at = [&](i64 i) { return i / pieces * r.stride + i % pieces * kPiece; };
#pragma omp parallel
  for (i64 row = 0; row < r.rows; row += together) {
    alignas(64) float kept[kPiece];
    const i64 begin = row * pieces, end = std::min(row + together, r.rows) * pieces;
#pragma omp for schedule(static)
    for (i64 i = begin; i < end; ++i) {
      const float max = maximum(r.x + at(i), count(i));
      parts[i] = {max, exponentials(r.x + at(i), std::max(max, -FLT_MAX), kept, count(i))};
    }
    i64 combined_row = -1;
    Part all{};
#pragma omp for schedule(static) nowait
    for (i64 i = begin; i < end; ++i) {
      if (i / pieces != combined_row) {
        combined_row = i / pieces;
        all = combined(parts + combined_row * pieces, pieces);
      }
      const T* x = r.x + at(i);
      const float max = all.max, factor = 1 / all.sum;
      write(r.out + at(i), count(i), past_caches,
            [=](i64 i) { return exponential(widen(x[i]) - max) * factor; });
    }
    finish_streaming();
  }
}

auto make(const SoftmaxLong::Args& p) {
  const i64 pieces = (p.columns + kPiece - 1) / kPiece;
  const bool past_caches = SoftmaxLong::cost(p).bytes() > kCache;
  return [=, parts = std::vector<Part>(p.rows * pieces)]() mutable {
    with_rows(p, [&](auto r) { long_rows(r, pieces, past_caches, parts.data()); });
  };
}

}  // namespace

WB_CPU(SoftmaxLong, optimized, make);
