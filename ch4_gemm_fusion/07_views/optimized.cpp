// Against step 1: the copy comes back, but into the cache. A fast product reads its operands in
// the order in which it needs them, so it packs small panels first: 12 rows of A, 32 columns of B,
// 256 deep. Packing reads through two strides, one along k and one across, and so takes care of
// layout, leading dimension and transposition. After it all layouts are one loop. Cores share the
// heads and blocks of rows.
//
// Predict: which of nn, nt and tn pays most for packing?
#include <vector>

#include "panels.h"
#include "views.h"
#include "wb/cpu.h"

namespace {

constexpr wb::i64 kDepth = 256, kBlock = 16 * kRows;  // of A: 192 KiB, in the second-level cache

// A matrix seen along k: element (i, l) is data[i * across + l * along].
struct Side {
  const float* data;
  wb::i64 across, along;
};
Side side(const Views::View<const float>& v, wb::i64 head, bool rows_along_k) {
  const float* data = v.data + head * v.stride;
  return rows_along_k ? Side{data, 1, v.leading} : Side{data, v.leading, 1};
}

// `count` of Width neighbours from `first` on, zeros after them.
template <int Width>
void pack(const Side& s, wb::i64 first, wb::i64 count, wb::i64 start, wb::i64 depth, float* panel) {
  const float* from = s.data + first * s.across + start * s.along;
  if (count < Width) std::fill(panel, panel + Width * depth, 0.0f);
  if (s.across == 1 && count == Width)
    for (wb::i64 l = 0; l < depth; ++l)
      std::memcpy(panel + l * Width, from + l * s.along, 4 * Width);
  else
    for (wb::i64 l = 0; l < depth; ++l)
      for (wb::i64 i = 0; i < count; ++i) panel[l * Width + i] = from[i * s.across + l * s.along];
}

// kBlock rows of C of a head, from `row` on.
void multiply(const Views::Args& p, wb::i64 head, wb::i64 row, float* left, float* right) {
  const Side a = side(p.a, head, p.a_transposed), b = side(p.b, head, !p.b_transposed);
  float* const c = p.c.data + head * p.c.stride;
  const wb::i64 rows = std::min(kBlock, p.m - row);
  for (wb::i64 start = 0; start == 0 || start < p.k; start += kDepth) {
    const wb::i64 depth = std::min(kDepth, p.k - start);
    for (wb::i64 r = 0; r < rows; r += kRows)
      pack<kRows>(a, row + r, std::min<wb::i64>(kRows, rows - r), start, depth, left + r * depth);
    for (wb::i64 column = 0; column < p.n; column += kColumns) {
      const wb::i64 columns = std::min<wb::i64>(kColumns, p.n - column);
      pack<kColumns>(b, column, columns, start, depth, right);
      for (wb::i64 r = 0; r < rows; r += kRows) {
        float tile[kRows][kColumns];
        multiply_panels(depth, left + r * depth, right, tile[0]);
        for (wb::i64 i = 0; i < std::min<wb::i64>(kRows, rows - r); ++i) {
          float* const to = c + (row + r + i) * p.c.leading + column;
          for (wb::i64 j = 0; j < columns; ++j) to[j] = (start > 0 ? to[j] : 0) + tile[i][j];
        }
      }
    }
  }
}

void run(const Views::Args& p) {
  const wb::i64 blocks = (p.m + kBlock - 1) / kBlock;
#pragma omp parallel
  {
    std::vector<float> left(kBlock * kDepth), right(kColumns * kDepth);
#pragma omp for collapse(2) schedule(dynamic)
    for (wb::i64 head = 0; head < p.heads; ++head)
      for (wb::i64 block = 0; block < blocks; ++block)
        multiply(p, head, block * kBlock, left.data(), right.data());
  }
}

}  // namespace

WB_CPU(Views, optimized, run);
