// Changes against step 2: what a core does follows from the shape.
//
//   short rows   A row of 4 fills no vector. So rows of 2, 4, 8 ... 256 without gaps between them
//                are read as one array, and neighbours are combined in all of it at once: rows of 4
//                become rows of 2, and those become rows of 1, in whole vectors.
//   long rows    Pieces of 64 Ki elements, which all cores share, and a second pass over their
//                values. The pieces do not depend on the number of cores, nor does the result.
//   others       as in step 2
//
// Predict: how much faster are rows of 4? Of 64?
#include <utility>
#include <vector>

#include "accumulators.h"

namespace {

constexpr i64 kShort = 256;           // elements per row
constexpr i64 kBlock = 2048;          // elements combined at once; stay in L1
constexpr i64 kPiece = 1 << 16;       // elements
constexpr i64 kWorthCores = 1 << 15;  // elements of x; with fewer, one core is done sooner

// y[i] of x[2 i] and x[2 i + 1], for i < count; they do not overlap.
template <class Op, class T>
void combine_pairs(const T* __restrict__ x, float* __restrict__ y, i64 count) {
  for (i64 i = 0; i < count; ++i)
    y[i] = Op::combine(wb::to_float(x[2 * i]), wb::to_float(x[2 * i + 1]));
}

template <class Op, class T> void short_rows(Rows<T> r) {
  const i64 together = kBlock / r.columns, blocks = (r.rows + together - 1) / together;
#pragma omp parallel for schedule(static) if (r.rows * r.columns > kWorthCores)
  for (i64 block = 0; block < blocks; ++block) {
    const i64 first = block * together, rows = std::min(together, r.rows - first);
    float values[2][kBlock / 2], *value = values[0], *other = values[1];
    i64 columns = r.columns / 2;
    combine_pairs<Op>(r.begin(first), value, rows * columns);
    for (; columns > 1; columns /= 2) {
      combine_pairs<Op>(value, other, rows * columns / 2);
      std::swap(value, other);
    }
    for (i64 row = 0; row < rows; ++row) r.finish(first + row, value[row]);
  }
}

template <class Op, class T> void whole_rows(Rows<T> r) {
#pragma omp parallel for schedule(static) if (r.rows * r.columns > kWorthCores)
  for (i64 row = 0; row < r.rows; ++row) r.finish(row, over_span<Op>(r.begin(row), r.columns));
}

template <class Op, class T> void long_rows(Rows<T> r, i64 pieces, float* value) {
#pragma omp parallel for schedule(static)
  for (i64 i = 0; i < r.rows * pieces; ++i) {
    const i64 row = i / pieces, from = i % pieces * kPiece;
    value[i] = over_span<Op>(r.begin(row) + from, std::min(kPiece, r.columns - from));
  }
  for (i64 row = 0; row < r.rows; ++row) r.finish(row, over_span<Op>(value + row * pieces, pieces));
}

bool one_array(const InnerAxis::Args& p) {
  return p.columns >= 2 && p.columns <= kShort && (p.columns & (p.columns - 1)) == 0 &&
         p.stride == p.columns;
}

auto make(const InnerAxis::Args& p) {
  const i64 pieces = (p.columns + kPiece - 1) / kPiece;
  return [p, pieces, value = std::vector<float>(pieces > 1 ? p.rows * pieces : 0)]() mutable {
    with_rows(p, [&](auto op, auto r) {
      if (one_array(p))
        short_rows<decltype(op)>(r);
      else if (pieces > 1)
        long_rows<decltype(op)>(r, pieces, value.data());
      else
        whole_rows<decltype(op)>(r);
    });
  };
}

}  // namespace

WB_CPU(InnerAxis, optimized, make);
