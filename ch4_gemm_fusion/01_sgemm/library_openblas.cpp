// A second yardstick: OpenBLAS, which most programs on Linux link. It chooses its kernel by the
// processor's name, and an old version takes a processor that it does not know for an older one.
#include <cblas.h>
#include <omp.h>

#include <algorithm>

#include "sgemm.h"
#include "wb/cpu.h"

namespace {

void run(const Sgemm::Args& p) {
  if (p.m * p.n == 0) return;
  openblas_set_num_threads(omp_get_max_threads());
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, p.m, p.n, p.k, 1, p.a,
              std::max<wb::i64>(p.k, 1), p.b, p.n, 0, p.c, p.n);
}

}  // namespace

WB_CPU(Sgemm, library_openblas, run);
