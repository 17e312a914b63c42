// Against the baseline: nothing is copied. The library is told the distance from a row to the next
// (the *leading dimension*) and which matrices are stored transposed, and reads every head in
// the array itself.
//
// Predict: does the product itself get slower, now that its rows are far apart?
#include <cblas.h>
#include <omp.h>

#include <algorithm>

#include "views.h"
#include "wb/cpu.h"

namespace {

void run(const Views::Args& p) {
  openblas_set_num_threads(omp_get_max_threads());
  const auto flag = [](bool transposed) { return transposed ? CblasTrans : CblasNoTrans; };
  if (p.m * p.n == 0) return;
  for (wb::i64 head = 0; head < p.heads; ++head)
    cblas_sgemm(CblasRowMajor, flag(p.a_transposed), flag(p.b_transposed), p.m, p.n, p.k, 1,
                p.a.data + head * p.a.stride, std::max<wb::i64>(p.a.leading, 1),
                p.b.data + head * p.b.stride, std::max<wb::i64>(p.b.leading, 1), 0,
                p.c.data + head * p.c.stride, p.c.leading);
}

}  // namespace

WB_CPU(Views, step1_leading_dimension, run);
