// The exercise, solved. Where the columns divide 64, x is one array, and element i of each group of
// 64 belongs to column i % columns. 64 sums are four vectors of 16 floats or eight of 8, so they
// stay in registers. Pieces of 64 Ki elements, whose order never changes, leave a sum per column.
#include <vector>

#include "columns.h"

namespace {

constexpr int kGroup = 64;
constexpr i64 kPiece = 1 << 16;  // elements; whole groups
constexpr i64 kBlock = 1024;     // columns of matrices that do not fit

// The sums of `columns` columns over `count` elements.
template <class Op, class T> void over_piece(const T* x, i64 count, i64 columns, float* left) {
  float sum[kGroup];
  for (float& s : sum) s = Op::identity();
  i64 i = 0;
  for (; i + kGroup <= count; i += kGroup)
    for (int j = 0; j < kGroup; ++j) sum[j] = Op::combine(sum[j], wb::to_float(x[i + j]));
  for (int j = 0; i + j < count; ++j) sum[j] = Op::combine(sum[j], wb::to_float(x[i + j]));
  for (i64 half = kGroup / 2; half >= columns; half /= 2)
    for (i64 j = 0; j < half; ++j) sum[j] = Op::combine(sum[j], sum[j + half]);
  std::copy_n(sum, columns, left);
}

template <class Op, class T> void one_array(const Columns<T>& c, std::vector<float>& left) {
  const i64 elements = c.rows * c.columns, pieces = (elements + kPiece - 1) / kPiece;
#pragma omp parallel for schedule(static)
  for (i64 piece = 0; piece < pieces; ++piece)
    over_piece<Op>(c.x + piece * kPiece, std::min(kPiece, elements - piece * kPiece), c.columns,
                   left.data() + piece * c.columns);
  for (i64 column = 0; column < c.columns; ++column) {
    float sum = Op::identity();
    for (i64 piece = 0; piece < pieces; ++piece)
      sum = Op::combine(sum, left[piece * c.columns + column]);
    c.finish(column, sum);
  }
}

template <class Op, class T> void by_rows(const Columns<T>& c) {
#pragma omp parallel for schedule(static)
  for (i64 first = 0; first < c.columns; first += kBlock) {
    const i64 count = std::min(kBlock, c.columns - first);
    float sum[kBlock];
    std::fill_n(sum, count, Op::identity());
    for (i64 row = 0; row < c.rows; ++row)
      for (i64 i = 0; i < count; ++i)
        sum[i] = Op::combine(sum[i], wb::to_float(c.row(row)[first + i]));
    for (i64 i = 0; i < count; ++i) c.finish(first + i, sum[i]);
  }
}

auto make(const OuterAxis::Args& p) {
  const bool fits = p.columns > 0 && kGroup % p.columns == 0 && p.stride == p.columns;
  const i64 pieces = fits ? (p.rows * p.columns + kPiece - 1) / kPiece : 0;
  return [p, fits, left = std::vector<float>(pieces * p.columns)]() mutable {
    with_columns(p, [&](auto op, auto c) {
      fits ? one_array<decltype(op)>(c, left) : by_rows<decltype(op)>(c);
    });
  };
}

}  // namespace

WB_CPU(OuterAxis, solution, make);
