// A table of samples (rows) and their features (columns), one row after the other in memory. Every
// column has its own weight: y[row][column] = weight[column] * x[row][column]. One multiplication
// and 8 bytes per element, so memory is the limit. The variants differ only in which thread takes
// which element, and when.
#pragma once

#include "wb/problem.h"

struct Coalescing {
  // Tall, as tables are. On the GPU one column of x, a 32-byte sector for each of its floats, is
  // 128 MiB: more than the L2 of an H200, so bytes that a walk down a column leaves unused are
  // evicted before the next column needs them.
  static constexpr const char* case_names[] = {"{rows} x {columns}"};
  static constexpr wb::Case bench[] = {{{"rows", 1 << 22}, {"columns", 16}}};
  static constexpr wb::Case bench_cpu[] = {{{"rows", 1 << 20}, {"columns", 16}}};
  static constexpr wb::Case test[] = {
      {{"rows", 0}, {"columns", 16}},     {{"rows", 5}, {"columns", 0}},
      {{"rows", 1}, {"columns", 1}},      {{"rows", 31}, {"columns", 16}},
      {{"rows", 33}, {"columns", 4}},     {{"rows", 127}, {"columns", 3}},
      {{"rows", 1}, {"columns", 4099}},   {{"rows", 129}, {"columns", 1031}},
      {{"rows", 10'007}, {"columns", 20}}};

  struct Args {
    wb::i64 rows, columns;
    const float* weight;  // columns
    const float* x;       // rows x columns
    float* y;             // rows x columns
  };

  static Args bind(wb::Binder& io, const wb::Case& c) {
    const wb::i64 rows = c["rows"], columns = c["columns"];
    return {rows, columns, io.in<float>("weight", columns), io.in<float>("x", rows * columns),
            io.out<float>("y", {{"row", rows}, {"column", columns}})};
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

// The exercise on the CPU: the sum of each column, x alone is read. Values are multiples of 2^-23
// in [-1, 1), so a double adds up 2^29 rows without rounding: any order of the additions gives the
// same bits.
struct ColumnSums : Coalescing {
  struct Args {
    wb::i64 rows, columns;
    const float* x;  // rows x columns
    double* sum;     // columns
  };

  static Args bind(wb::Binder& io, const wb::Case& c) {
    const wb::i64 rows = c["rows"], columns = c["columns"];
    return {rows, columns, io.in<float>("x", rows * columns), io.out<double>("sum", columns)};
  }
  static wb::Cost cost(const Args& p) {
    const double elements = static_cast<double>(p.rows) * p.columns;
    return {.flops = elements, .read = 4 * elements, .write = 8.0 * p.columns};
  }
  static wb::Tolerance tolerance(const Args&) { return {.rel = 0x1p-52}; }

  static void reference(const Args& p) {
    for (wb::i64 column = 0; column < p.columns; ++column) {
      double sum = 0;
      for (wb::i64 row = 0; row < p.rows; ++row) sum += p.x[row * p.columns + column];
      p.sum[column] = sum;
    }
  }
};
