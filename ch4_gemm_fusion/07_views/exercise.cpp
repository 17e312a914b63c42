// The views are multiplied without copies: blocks of 8 rows and two vectors of C, with A and B read
// through their strides. For layout nt two neighbours in a row of B are a whole row of memory
// apart, so a vector is collected from as many cache lines as it has lanes, again for every 8 rows
// of C.
//
// TODO: collect each vector of B once for all rows of a head: copy the columns that a panel needs
//       to a small array, in the order in which block() wants them.
// Goal: at most 2.25 times as long as optimized at layout=nt,heads=8,m=512,n=512,k=64
// Goal: 0.8 times optimized at layout=nn,heads=8,m=512,n=64,k=512
// Hints are in README.md.
#include <algorithm>

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

// Rows of C, from `a` on, and `columns` of them, from `b` on.
template <int Rows>
void block(wb::i64 columns, wb::i64 k, Operand a, Operand b, float* c, wb::i64 ldc) {
  Vector sum[Rows][2] = {};
  for (wb::i64 l = 0; l < k; ++l) {
    Vector v[2] = {};
    for (wb::i64 j = 0; j < columns; ++j)
      v[j / kLanes][j % kLanes] = b.data[l * b.row + j * b.column];
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
#pragma omp parallel for collapse(2) schedule(dynamic)
  for (wb::i64 head = 0; head < p.heads; ++head)
    for (wb::i64 column = 0; column < p.n; column += kColumns) {
      const wb::i64 columns = std::min<wb::i64>(kColumns, p.n - column);
      Operand a = operand(p.a, head, p.a_transposed), b = operand(p.b, head, p.b_transposed);
      b.data += column * b.column;
      float* c = p.c.data + head * p.c.stride + column;
      wb::i64 row = 0;
      for (; row + 8 <= p.m; row += 8, a.data += 8 * a.row, c += 8 * p.c.leading)
        block<8>(columns, p.k, a, b, c, p.c.leading);
      for (; row < p.m; ++row, a.data += a.row, c += p.c.leading)
        block<1>(columns, p.k, a, b, c, p.c.leading);
    }
}

}  // namespace

WB_CPU(Views, exercise, run);
