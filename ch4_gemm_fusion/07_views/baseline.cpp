// Reshape first, multiply then: every head is copied to a separate dense matrix, transposed where
// it was stored that way, multiplied there, and the product is copied back next to the others.
//
// Predict: which share of the time do the copies take for 8 heads of 512 x 512 x 64?
#include <cblas.h>
#include <omp.h>

#include <algorithm>
#include <vector>

#include "views.h"
#include "wb/cpu.h"

namespace {

void make_dense(const Views::View<const float>& v, wb::i64 heads, bool transposed, float* to) {
#pragma omp parallel for collapse(2)
  for (wb::i64 head = 0; head < heads; ++head)
    for (wb::i64 row = 0; row < v.rows; ++row) {
      const float* const from = v.data + head * v.stride + row * v.leading;
      float* const dense = to + head * v.rows * v.columns;
      if (transposed)
        for (wb::i64 i = 0; i < v.columns; ++i) dense[i * v.rows + row] = from[i];
      else
        std::copy(from, from + v.columns, dense + row * v.columns);
    }
}

auto make(const Views::Args& p) {
  return
      [p, a = std::vector<float>(p.heads * p.m * p.k), b = std::vector<float>(p.heads * p.k * p.n),
       c = std::vector<float>(p.heads * p.m * p.n)]() mutable {
        make_dense(p.a, p.heads, p.a_transposed, a.data());
        make_dense(p.b, p.heads, p.b_transposed, b.data());
        openblas_set_num_threads(omp_get_max_threads());
        for (wb::i64 head = 0; head < p.heads; ++head)
          cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, p.m, p.n, p.k, 1,
                      a.data() + head * p.m * p.k, std::max<wb::i64>(p.k, 1),
                      b.data() + head * p.k * p.n, std::max<wb::i64>(p.n, 1), 0,
                      c.data() + head * p.m * p.n, std::max<wb::i64>(p.n, 1));
#pragma omp parallel for collapse(2)
        for (wb::i64 row = 0; row < p.m; ++row)
          for (wb::i64 head = 0; head < p.heads; ++head) {
            const float* const from = c.data() + (head * p.m + row) * p.n;
            std::copy(from, from + p.n, p.c.data + row * p.c.leading + head * p.c.stride);
          }
      };
}

}  // namespace

WB_CPU(Views, baseline, make);
