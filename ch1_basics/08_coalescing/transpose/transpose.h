// out = in^T for an m x n row-major matrix: out[column][row] = in[row][column], n x m.
// No arithmetic at all: 4 bytes read and 4 written for each element, so the best a program can do
// is to be as fast as a copy. One of the two sides must be walked against the grain, though.
#pragma once

#include "wb/problem.h"

struct Transpose {
  static constexpr wb::Shape bench[] = {{.m = 8192, .n = 8192}};
  static constexpr wb::Shape bench_cpu[] = {{.m = 4096, .n = 4096}};
  static constexpr wb::Shape test[] = {
      {.m = 0, .n = 5},    {.m = 1, .n = 1},      {.m = 1, .n = 4099},
      {.m = 31, .n = 33},  {.m = 127, .n = 129},  {.m = 64, .n = 4},
      {.m = 100, .n = 68}, {.m = 1031, .n = 257}, {.m = 512, .n = 1040}};

  struct Args {
    wb::i64 m, n;
    const float* in;  // m x n
    float* out;       // n x m
  };

  static Args bind(wb::Binder& io, wb::Shape s) {
    return {s.m, s.n, io.in<float>("in", s.m * s.n), io.out<float>("out", s.n * s.m)};
  }
  static wb::Cost cost(const Args& p) {
    const double bytes = sizeof(float) * static_cast<double>(p.m) * p.n;
    return {.read = bytes, .write = bytes};
  }
  static wb::Tolerance tolerance(const Args&) { return {}; }  // nothing is computed: exact

  static void reference(const Args& p) {
    constexpr wb::i64 kTile = 64;  // only so that checking large matrices is quick
    for (wb::i64 row0 = 0; row0 < p.m; row0 += kTile)
      for (wb::i64 column0 = 0; column0 < p.n; column0 += kTile)
        for (wb::i64 row = row0; row < row0 + kTile && row < p.m; ++row)
          for (wb::i64 column = column0; column < column0 + kTile && column < p.n; ++column)
            p.out[column * p.m + row] = p.in[row * p.n + column];
  }
};
