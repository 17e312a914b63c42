// The yardstick: OpenBLAS, which turns matrices on one core.
#include <cblas.h>

#include <climits>

#include "transpose.h"
#include "wb/cpu.h"

namespace {

auto make(const Transpose::Args& p) {
  if (p.rows > INT_MAX || p.columns > INT_MAX)
    throw wb::Unsupported("OpenBLAS counts with 32 bits here");
  return [p] {
    if (p.rows == 0 || p.columns == 0) return;
    cblas_somatcopy(CblasRowMajor, CblasTrans, p.rows, p.columns, 1.0f, p.in, p.columns, p.out,
                    p.rows);
  };
}

}  // namespace

WB_CPU(Transpose, library, make);
