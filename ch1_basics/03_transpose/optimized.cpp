// Changes against step1: 16 x 4 elements are turned in registers, as four blocks of 4 x 4 with
// eight shuffles each, and go out as four whole cache lines with streaming stores.
//
// Predict: `in` is read along 16 rows at a time, which the prefetchers follow; nothing of `out` is
// read any more. What is left between this and a copy?
#include "../streaming.h"
#include "transpose.h"
#include "wb/cpu.h"

namespace {

constexpr wb::i64 kLine = 16;  // floats in a cache line

// Four elements by their numbers: those of a are 0 to 3, those of b 4 to 7.
template <int... number> inline Float4 pick(Float4 a, Float4 b) {
#if __has_builtin(__builtin_shufflevector)
  return __builtin_shufflevector(a, b, number...);
#else  // g++ 11
  using Numbers = int __attribute__((vector_size(16)));
  return __builtin_shuffle(a, b, Numbers{number...});
#endif
}

// a[i][j] becomes a[j][i].
inline void turn(Float4& a, Float4& b, Float4& c, Float4& d) {
  const Float4 ab_low = pick<0, 4, 1, 5>(a, b);
  const Float4 ab_high = pick<2, 6, 3, 7>(a, b);
  const Float4 cd_low = pick<0, 4, 1, 5>(c, d);
  const Float4 cd_high = pick<2, 6, 3, 7>(c, d);
  a = pick<0, 1, 4, 5>(ab_low, cd_low);
  b = pick<2, 3, 6, 7>(ab_low, cd_low);
  c = pick<0, 1, 4, 5>(ab_high, cd_high);
  d = pick<2, 3, 6, 7>(ab_high, cd_high);
}

// 16 rows and 4 columns of `in` become 4 rows of `out`, a cache line each.
inline void turn_lines(const Transpose::Args& p, wb::i64 row, wb::i64 column) {
  Float4 v[kLine];
#pragma GCC unroll 16
  for (int i = 0; i < kLine; ++i)
    v[i] = *reinterpret_cast<const Float4*>(p.in + (row + i) * p.columns + column);
#pragma GCC unroll 4
  for (int i = 0; i < kLine; i += 4) turn(v[i], v[i + 1], v[i + 2], v[i + 3]);
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j)
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) stream(p.out + (column + j) * p.rows + row + 4 * i, v[4 * i + j]);
}

void run(const Transpose::Args& p) {
  // Rows of both matrices must start on 16 bytes; what is left of whole lines goes one by one.
  const bool aligned = p.rows % 4 == 0 && p.columns % 4 == 0;
  const wb::i64 m = aligned ? p.rows / kLine * kLine : 0, n = aligned ? p.columns : 0;
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (wb::i64 row = 0; row < m; row += kLine)
      for (wb::i64 column = 0; column < n; column += 4) turn_lines(p, row, column);
    finish_streaming();
#pragma omp for schedule(static)
    for (wb::i64 row = 0; row < p.rows; ++row)
      for (wb::i64 column = row < m ? n : 0; column < p.columns; ++column)
        p.out[column * p.rows + row] = p.in[row * p.columns + column];
  }
}

}  // namespace

WB_CPU(Transpose, optimized, run);
