// A table of m rows (samples) and n columns (features), one row after the other in memory. Every
// column has its own weight: y[row][column] = weight[column] * x[row][column].
// One multiplication and 8 bytes an element, so memory decides. All that the variants change is who
// takes which element, and when.
#pragma once

#include "wb/problem.h"

struct Walk {
  // Tall, as tables are. On the GPU one column of x, a 32-byte sector for each of its floats, is
  // 128 MiB: more than the L2 of an H200, so what a walk down a column leaves unused is gone when
  // it returns.
  static constexpr wb::Shape bench[] = {{.m = 1 << 22, .n = 16}};
  static constexpr wb::Shape bench_cpu[] = {{.m = 1 << 20, .n = 16}};
  static constexpr wb::Shape test[] = {
      {.m = 0, .n = 16},   {.m = 5, .n = 0},      {.m = 1, .n = 1},
      {.m = 31, .n = 16},  {.m = 33, .n = 4},     {.m = 127, .n = 3},
      {.m = 1, .n = 4099}, {.m = 129, .n = 1031}, {.m = 10'007, .n = 20}};

  struct Args {
    wb::i64 rows, columns;
    const float* weight;  // columns
    const float* x;       // rows x columns
    float* y;             // rows x columns
  };

  static Args bind(wb::Binder& io, wb::Shape s) {
    return {s.m, s.n, io.in<float>("weight", s.n), io.in<float>("x", s.m * s.n),
            io.out<float>("y", s.m * s.n)};
  }
  static wb::Cost cost(const Args& p) {
    const double elements = static_cast<double>(p.rows) * p.columns;
    return {.flops = elements, .read = 4 * elements, .write = 4 * elements};
  }
  // One product, rounded once: every correct variant gives the same bits.
  static wb::Tolerance tolerance(const Args&) { return {.rel = 0x1p-24}; }

  static void reference(const Args& p) {
    for (wb::i64 row = 0; row < p.rows; ++row)
      for (wb::i64 column = 0; column < p.columns; ++column) {
        const wb::i64 i = row * p.columns + column;
        p.y[i] = static_cast<float>(static_cast<double>(p.weight[column]) * p.x[i]);
      }
  }
};
