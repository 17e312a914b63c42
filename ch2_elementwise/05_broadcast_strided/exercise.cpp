// Exercise: z = x - y (Difference). One loop over all elements, so that a single long row, too, is
// work for all cores. The answer is right, and each element pays for two divisions, though it comes
// right after the one before.
//
// TODO 1: let each core divide once, for the first element of its share, and count on from there.
// TODO 2: let it count in whole pieces of rows, so that the inner loop has only the addition.
// Goal: 3 times baseline at op=contiguous,dtype=fp32,rows=2048,columns=2048
// Hints are in README.md.
#include "numbers.h"

namespace {

template <class T> T difference(T x, T y) { return from_float<T>(to_float(x) - to_float(y)); }

void run(const Difference::Args& p) {
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto x = static_cast<const T*>(p.x), y = static_cast<const T*>(p.y);
    const auto z = static_cast<T*>(p.z);
    const Layout l = p.layout;
#pragma omp parallel for schedule(static)
    for (wb::i64 i = 0; i < l.elements(); ++i) {
      const wb::i64 line = i / l.size[2], column = i - line * l.size[2];
      const wb::i64 batch = line / l.size[1], row = line - batch * l.size[1];
      z[i] = difference(x[i], y[batch * l.stride[0] + row * l.stride[1] + column * l.stride[2]]);
    }
  });
}

}  // namespace

WB_CPU(Difference, exercise, run);
