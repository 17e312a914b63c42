// Bug hunt: y += a * x, in place, on all cores. Each core takes a share of whole cache lines, so no
// two of them write to the same one, and goes through it line by line. It is fast, and right in all
// cases of `./workbook compare` on a machine with two cores. It is wrong:
//
//   ./workbook test 01_add/exercise     the last elements of y are what they were before
//
// TODO: not all elements get a core. They are lost in two places: which ones?
// Goal: right at every size
// Hints are in README.md.
#include <omp.h>

#include "add.h"
#include "lines.h"
#include "rounding.h"
#include "wb/cpu.h"

namespace {

template <class T> void add_line(float a, const T* x, T* y) {
  for (int j = 0; j < kLine<T>; ++j)
    y[j] = rounded<T>(a * static_cast<float>(x[j]) + static_cast<float>(y[j]));
}

void run(const ScaledAdd::Args& p) {
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = decltype(zero);
    const T* x = static_cast<const T*>(p.x);
    T* y = static_cast<T*>(p.y);
#pragma omp parallel
    {
      const wb::i64 share = p.n / kLine<T> / omp_get_num_threads() * kLine<T>;  // elements
      const wb::i64 first = omp_get_thread_num() * share;
      for (wb::i64 i = first; i < first + share; i += kLine<T>) add_line(p.a, x + i, y + i);
    }
  });
}

}  // namespace

WB_CPU(ScaledAdd, exercise, run);
WB_NOTE("another problem than the baseline's: y += a x, in place");
