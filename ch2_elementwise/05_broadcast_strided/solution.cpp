// The exercise, solved: an odometer. Each core divides once, for the first element of its share,
// and then takes the rest of the row, the next row, and so on: an inner loop of additions, and a
// few comparisons per row.
#include <omp.h>

#include "numbers.h"

namespace {

template <class T> T difference(T x, T y) { return from_float<T>(to_float(x) - to_float(y)); }

template <class T>
void add_share(const Layout& l, wb::i64 first, wb::i64 last, const T* x, const T* y, T* z) {
  const wb::i64 line = first / l.size[2];
  wb::i64 column = first - line * l.size[2], batch = line / l.size[1];
  wb::i64 row = line - batch * l.size[1];
  for (wb::i64 i = first; i < last;) {
    const wb::i64 count = std::min(l.size[2] - column, last - i);
    const T* from = y + batch * l.stride[0] + row * l.stride[1] + column * l.stride[2];
    const wb::i64 stride = l.stride[2];
#pragma omp simd
    for (wb::i64 j = 0; j < count; ++j) z[i + j] = difference(x[i + j], from[j * stride]);
    i += count, column = 0;
    if (++row == l.size[1]) row = 0, ++batch;
  }
}

void run(const Difference::Args& p) {
  const wb::i64 elements = p.layout.elements();
  if (elements == 0) return;
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = decltype(zero);
#pragma omp parallel
    {
      const wb::i64 threads = omp_get_num_threads(), self = omp_get_thread_num();
      add_share(p.layout, elements * self / threads, elements * (self + 1) / threads,
                static_cast<const T*>(p.x), static_cast<const T*>(p.y), static_cast<T*>(p.z));
    }
  });
}

}  // namespace

WB_CPU(Difference, solution, run);
