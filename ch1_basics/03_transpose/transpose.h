// out = in^T, both row-major: out[column][row] = in[row][column]. There is no arithmetic, and 4
// bytes are read and 4 written for each element, so the best a program can do is to be as fast as a
// copy. One of the two sides must be walked against the grain, though.
#pragma once

#include <algorithm>

#include "wb/problem.h"

struct Transpose {
  static constexpr const char* case_names[] = {"{rows} x {columns}"};
  static constexpr wb::Case bench[] = {{{"rows", 8192}, {"columns", 8192}}};
  static constexpr wb::Case bench_cpu[] = {{{"rows", 4096}, {"columns", 4096}}};
  static constexpr wb::Case test[] = {
      {{"rows", 0}, {"columns", 5}},     {{"rows", 1}, {"columns", 1}},
      {{"rows", 1}, {"columns", 4099}},  {{"rows", 31}, {"columns", 33}},
      {{"rows", 127}, {"columns", 129}}, {{"rows", 64}, {"columns", 4}},
      {{"rows", 100}, {"columns", 68}},  {{"rows", 1031}, {"columns", 257}},
      {{"rows", 512}, {"columns", 1040}}};

  struct Args {
    wb::i64 rows, columns;
    const float* in;  // rows x columns
    float* out;       // columns x rows
  };

  static Args bind(wb::Binder& io, const wb::Case& c) {
    const wb::i64 rows = c["rows"], columns = c["columns"];
    return {rows, columns, io.in<float>("in", rows * columns),
            io.out<float>("out", {{"row", columns}, {"column", rows}})};
  }
  static wb::Cost cost(const Args& p) {
    const double bytes = sizeof(float) * static_cast<double>(p.rows) * p.columns;
    return {.read = bytes, .write = bytes};
  }
  static wb::Tolerance tolerance(const Args&) { return {}; }  // nothing is computed: exact

  static void reference(const Args& p) {
    constexpr wb::i64 kTile = 64;  // only so that checking large matrices is quick
    for (wb::i64 row0 = 0; row0 < p.rows; row0 += kTile)
      for (wb::i64 column0 = 0; column0 < p.columns; column0 += kTile)
        for (wb::i64 row = row0; row < row0 + kTile && row < p.rows; ++row)
          for (wb::i64 column = column0; column < column0 + kTile && column < p.columns; ++column)
            p.out[column * p.rows + row] = p.in[row * p.columns + column];
  }
};

// The exercise on a GPU: an image turned a quarter clockwise. The first row becomes the last
// column.
struct QuarterTurn : Transpose {
  static void reference(const Args& p) {
    Transpose::reference(p);
    for (wb::i64 row = 0; row < p.columns; ++row)
      std::reverse(p.out + row * p.rows, p.out + (row + 1) * p.rows);
  }
};
