// z = x + y for a collapsed view, along the rows.
#pragma once

#include "numbers.h"

namespace {

// `count` elements of a row. kStride: 0, 1 or 2, which the compiler makes vector instructions for;
// kAny takes `stride`. kStream: past the caches, in whole lines.
constexpr wb::i64 kAny = -1;
template <bool kStream, wb::i64 kStride, class T>
void add_row(wb::i64 count, const T* x, const T* y, wb::i64 stride, T* z) {
  const wb::i64 step = kStride == kAny ? stride : kStride;
  wb::i64 i = 0;
  if constexpr (kStream) {
    constexpr wb::i64 kLine = 64 / sizeof(T);
    for (; i < count && reinterpret_cast<std::uintptr_t>(z + i) % 64 != 0; ++i)
      z[i] = sum(x[i], y[i * step]);
    for (; i + kLine <= count; i += kLine) {
      alignas(64) T line[kLine];
#pragma omp simd
      for (wb::i64 j = 0; j < kLine; ++j) line[j] = sum(x[i + j], y[(i + j) * step]);
      stream_line(z + i, line);
    }
  }
#pragma omp simd
  for (wb::i64 j = i; j < count; ++j) z[j] = sum(x[j], y[j * step]);
}

template <bool kStream, class T>
void add_row(wb::i64 count, const T* x, const T* y, wb::i64 stride, T* z) {
  if (stride == 0) return add_row<kStream, 0>(count, x, y, stride, z);
  if (stride == 1) return add_row<kStream, 1>(count, x, y, stride, z);
  if (stride == 2) return add_row<kStream, 2>(count, x, y, stride, z);
  add_row<kStream, kAny>(count, x, y, stride, z);
}

// Arrays that no cache holds are written past the caches.
template <class T> bool streams(const Layout& l) {
  return l.elements() * static_cast<wb::i64>(sizeof(T)) > 4 << 20;
}

// The cores share pieces of rows, so that one long row is work for all of them.
template <class T> void add_view(const Layout& l, const T* x, const T* y, T* z) {
  constexpr wb::i64 kPiece = 16384;
  const wb::i64 pieces = (l.size[2] + kPiece - 1) / kPiece;
  const bool stream = streams<T>(l);
#pragma omp parallel
  {
#pragma omp for collapse(3) schedule(static) nowait
    for (wb::i64 batch = 0; batch < l.size[0]; ++batch)
      for (wb::i64 row = 0; row < l.size[1]; ++row)
        for (wb::i64 piece = 0; piece < pieces; ++piece) {
          const wb::i64 first = piece * kPiece, count = std::min(kPiece, l.size[2] - first);
          const wb::i64 at = (batch * l.size[1] + row) * l.size[2] + first;
          const T* from = y + batch * l.stride[0] + row * l.stride[1] + first * l.stride[2];
          (stream ? add_row<true, T> : add_row<false, T>)(count, x + at, from, l.stride[2], z + at);
        }
    if (stream) finish_streaming();
  }
}

}  // namespace
