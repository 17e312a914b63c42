// Changes against step 1: where the arrays are larger than what a cache keeps, z goes past the
// caches in whole lines. An ordinary store reads the line that it changes, so step 1 moves four
// arrays, not three. Where they do fit, z stays in the cache for the code that reads it next. The
// smallest arrays are left to one core, which does not wait for another one to wake up.
//
// Predict: which factor follows from the bytes?
#include <algorithm>

#include "add.h"
#include "lines.h"
#include "rounding.h"
#include "wb/cpu.h"

namespace {

// What a last-level cache may keep for one program. It is no use to ask the system for the size: a
// server's cache is shared by many cores, and virtual machines are told all kinds of sizes.
constexpr double kCache = 0x1p25;
constexpr std::size_t kAlone = 1 << 16;  // bytes of arrays that are not worth a second core

template <class T> void add(wb::i64 n, const T* x, const T* y, T* z) {
  for (wb::i64 i = 0; i < n; ++i)
    z[i] = rounded<T>(static_cast<float>(x[i]) + static_cast<float>(y[i]));
}

template <class T> void add_past_caches(wb::i64 n, const T* x, const T* y, T* z) {
  const wb::i64 head = std::min(n, to_next_line(z)), end = head + (n - head) / kLine<T> * kLine<T>;
  add(head, x, y, z);
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (wb::i64 i = head; i < end; i += kLine<T>) {
      alignas(kLineBytes) T line[kLine<T>];
      add(kLine<T>, x + i, y + i, line);
      stream_line(z + i, line);
    }
    finish_streaming();
  }
  add(n - end, x + end, y + end, z + end);
}

template <class T> void add_in_caches(wb::i64 n, const T* x, const T* y, T* z) {
#pragma omp parallel for schedule(static) if (n * 3 * sizeof(T) > kAlone)
  for (wb::i64 i = 0; i < n; ++i)
    z[i] = rounded<T>(static_cast<float>(x[i]) + static_cast<float>(y[i]));
}

void run(const Add::Args& p) {
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = decltype(zero);
    const T* x = static_cast<const T*>(p.x);
    const T* y = static_cast<const T*>(p.y);
    T* z = static_cast<T*>(p.z);
    Add::cost(p).bytes() > kCache ? add_past_caches(p.n, x, y, z) : add_in_caches(p.n, x, y, z);
  });
}

}  // namespace

WB_CPU(Add, optimized, run);
