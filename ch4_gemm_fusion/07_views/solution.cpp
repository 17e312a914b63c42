// The exercise, solved: two vectors of columns of B are copied once per head, zeros where the
// matrix ends, and are in the first cache while all rows of the head are multiplied with them. A is
// read in the array itself: one value serves two vectors.
#include <algorithm>
#include <vector>

#include "panels.h"
#include "views.h"
#include "wb/cpu.h"

namespace {

struct Operand {  // element (i, l) is data[i * row + l * column]
  const float* data;
  wb::i64 row, column;
};
Operand operand(const Views::View<const float>& v, wb::i64 head, bool transposed) {
  const float* data = v.data + head * v.stride;
  return transposed ? Operand{data, 1, v.leading} : Operand{data, v.leading, 1};
}

// Rows of C, from `a` on, and `columns` of them.
template <int Rows>
void block(wb::i64 columns, wb::i64 k, Operand a, const float* panel, float* c, wb::i64 ldc) {
  Vector sum[Rows][2] = {};
  for (wb::i64 l = 0; l < k; ++l) {
    const Vector v[2] = {load(panel + l * kColumns), load(panel + l * kColumns + kLanes)};
#pragma GCC unroll 8
    for (int i = 0; i < Rows; ++i) {
      const float left = a.data[i * a.row + l * a.column];
      sum[i][0] += left * v[0], sum[i][1] += left * v[1];
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < Rows; ++i)
    for (wb::i64 j = 0; j < columns; ++j) c[i * ldc + j] = sum[i][j / kLanes][j % kLanes];
}

void run(const Views::Args& p) {
#pragma omp parallel
  {
    std::vector<float> panel(p.k * kColumns);
#pragma omp for collapse(2) schedule(dynamic)
    for (wb::i64 head = 0; head < p.heads; ++head)
      for (wb::i64 column = 0; column < p.n; column += kColumns) {
        const wb::i64 columns = std::min<wb::i64>(kColumns, p.n - column);
        Operand a = operand(p.a, head, p.a_transposed), b = operand(p.b, head, p.b_transposed);
        for (wb::i64 j = 0; j < kColumns; ++j)
          for (wb::i64 l = 0; l < p.k; ++l)
            panel[l * kColumns + j] = j < columns ? b.data[l * b.row + (column + j) * b.column] : 0;
        float* c = p.c.data + head * p.c.stride + column;
        wb::i64 row = 0;
        for (; row + 8 <= p.m; row += 8, a.data += 8 * a.row, c += 8 * p.c.leading)
          block<8>(columns, p.k, a, panel.data(), c, p.c.leading);
        for (; row < p.m; ++row, a.data += a.row, c += p.c.leading)
          block<1>(columns, p.k, a, panel.data(), c, p.c.leading);
      }
  }
}

}  // namespace

WB_CPU(Views, solution, run);
