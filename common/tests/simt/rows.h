// Rows that are multiplied by two, a block of threads for each. With 2251 of them the exercise
// takes an emulator long.
#pragma once

#include "wb/cuda.h"
#include "wb/problem.h"

struct Rows {
  static constexpr wb::Case bench[] = {{{"rows", 1}}};
  static constexpr wb::Case test[] = {
      {{"rows", 1}}, {{"rows", 33}}, {{"rows", 129}}, {{"rows", 2251}}};
  static constexpr int kColumns = 64;
  struct Args {
    wb::i64 rows;
    const float* x;
    float* y;
  };
  static Args bind(wb::Binder& io, const wb::Case& c) {
    const wb::i64 all = c["rows"] * kColumns;
    return {c["rows"], io.in<float>("x", all), io.out<float>("y", all)};
  }
  static wb::Cost cost(const Args& p) {
    const double bytes = 4.0 * kColumns * static_cast<double>(p.rows);
    return {.flops = 0, .read = bytes, .write = bytes};
  }
  static wb::Tolerance tolerance(const Args&) { return {}; }
  static void reference(const Args& p) {
    for (wb::i64 i = 0; i < p.rows * kColumns; ++i) p.y[i] = 2 * p.x[i];
  }
};

void twice_rows(const Rows::Args& p, cudaStream_t stream);  // the baseline
