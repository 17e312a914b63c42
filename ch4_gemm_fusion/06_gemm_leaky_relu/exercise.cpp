// Bug hunt: k is shared out. Each core multiplies a slice of k for all of C, and the slices are
// added up. (Where m and n are small and k is large, that is the only way to give every core work.)
// It is wrong, and for some sizes it is right:
//
//   ./workbook test 06_gemm_leaky_relu/exercise
//
// TODO: there are two mistakes. k = 1 shows one of them; the other is why fusing is not always
//       allowed. Try both by hand: slices with the sums 3 and -1.
// Goal: right at every size
// Hints are in README.md.
#include <omp.h>

#include <vector>

#include "gemm_leaky_relu.h"
#include "wb/cpu.h"

namespace {

template <class T> void run(const GemmLeakyRelu::Args& p) {
  const T *a = static_cast<const T*>(p.a), *b = static_cast<const T*>(p.b);
  std::vector<float> sums(p.m * p.n);
#pragma omp parallel
  {
    const wb::i64 slice = p.k / omp_get_num_threads();
    const wb::i64 first = omp_get_thread_num() * slice, end = first + slice;
    for (wb::i64 row = 0; row < p.m; ++row)
      for (wb::i64 column = 0; column < p.n; ++column) {
        float sum = 0;
        for (wb::i64 l = first; l < end; ++l) sum += float{a[row * p.k + l]} * b[column * p.k + l];
        const float part = GemmLeakyRelu::leaky_relu(sum);  // while it is in a register
#pragma omp atomic
        sums[row * p.n + column] += part;
      }
  }
  for (wb::i64 i = 0; i < p.m * p.n; ++i) static_cast<T*>(p.c)[i] = static_cast<T>(sums[i]);
}

void run_any(const GemmLeakyRelu::Args& p) {
  wb::with_dtype(p.dtype, [&](auto zero) { run<decltype(zero)>(p); });
}

}  // namespace

WB_CPU(GemmLeakyRelu, exercise, run_any);
