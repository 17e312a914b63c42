// y[row] = the sum of x[row, column] over the columns. Values are multiples of 2^-10, so that no
// addition of these short rows rounds: every order gives the same bits.
#pragma once

#include <cmath>

#include "wb/problem.h"

struct Rows {
  static constexpr wb::Case bench[] = {{{"rows", 4096}, {"columns", 1024}}};
  static constexpr wb::Case test[] = {
      {{"rows", 0}, {"columns", 5}},    {{"rows", 1}, {"columns", 1}},
      {{"rows", 31}, {"columns", 33}},  {{"rows", 64}, {"columns", 32}},
      {{"rows", 127}, {"columns", 17}}, {{"rows", 33}, {"columns", 1031}}};

  struct Args {
    wb::i64 rows, columns;
    const float* x;
    float* y;
  };

  static Args bind(wb::Binder& io, const wb::Case& c) {
    const wb::i64 rows = c["rows"], columns = c["columns"];
    const auto value = [](wb::i64 i, std::uint64_t seed) {
      return std::floor(1024 * wb::uniform(seed, static_cast<std::uint64_t>(i))) / 1024;
    };
    return {rows, columns, io.in<float>("x", rows * columns, value), io.out<float>("y", rows)};
  }
  static wb::Cost cost(const Args& p) {
    const double elements = static_cast<double>(p.rows) * static_cast<double>(p.columns);
    return {.flops = elements, .read = 4 * elements, .write = 4.0 * static_cast<double>(p.rows)};
  }
  static wb::Tolerance tolerance(const Args&) { return {}; }
  static void reference(const Args& p) {
    for (wb::i64 row = 0; row < p.rows; ++row) {
      p.y[row] = 0;
      for (wb::i64 c = 0; c < p.columns; ++c) p.y[row] += p.x[row * p.columns + c];
    }
  }
};
