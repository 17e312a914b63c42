// The yardstick: OpenBLAS, which turns matrices on one core.
#include <cblas.h>

#include <climits>

#include "transpose.h"
#include "wb/cpu.h"

namespace {

auto make(const Transpose::Args& p) {
  if (p.m > INT_MAX || p.n > INT_MAX) throw wb::Unsupported("OpenBLAS counts with 32 bits here");
  return [p] {
    if (p.m == 0 || p.n == 0) return;
    cblas_somatcopy(CblasRowMajor, CblasTrans, p.m, p.n, 1.0f, p.in, p.n, p.out, p.m);
  };
}

}  // namespace

WB_CPU(Transpose, library, make);
