// Exercise: y += a * x, in place, on all cores. Each core takes a line of 64 bytes, then the next
// that nobody has taken: fair, whatever else the machine does, and slow.
//
// TODO: let a core walk through memory in long runs.
// Goal: 0.8 times optimized at dtype=fp32,rows=4096,columns=4096
// Hints are in README.md.
//
// It moves as many bytes as optimized: y is read anyway, so here a streaming store spares nothing.
#include <algorithm>

#include "add.h"
#include "lines.h"
#include "rounding.h"
#include "wb/cpu.h"

namespace {

template <class T> void add(wb::i64 n, float a, const T* x, T* y) {
  for (wb::i64 i = 0; i < n; ++i)
    y[i] = rounded<T>(a * static_cast<float>(x[i]) + static_cast<float>(y[i]));
}

void run(const ScaledAdd::Args& p) {
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = decltype(zero);
    const T* x = static_cast<const T*>(p.x);
    T* y = static_cast<T*>(p.y);
#pragma omp parallel for schedule(dynamic)
    for (wb::i64 i = 0; i < p.n; i += kLine<T>) add(std::min(kLine<T>, p.n - i), p.a, x + i, y + i);
  });
}

}  // namespace

WB_CPU(ScaledAdd, exercise, run);
