// Three operations in fp32 that move bytes and hardly compute. The lesson does not ask how to
// compute them, but how many threads there are, and how many elements each of them takes:
//
//   add      y[i] = a[i] + b[i], for the elements
//   rows     y[row] = the sum of a[row, column] over the columns
//   columns  y[column] = the sum of a[row, column] over the rows
#pragma once

#include <cmath>
#include <string>
#include <string_view>

#include "wb/variant.h"

enum class Operation { add, rows, columns };

constexpr wb::Case addition(wb::i64 elements) { return {{"op", "add"}, {"elements", elements}}; }
constexpr wb::Case sums(const char* of, wb::i64 rows, wb::i64 columns) {
  return {{"op", of}, {"rows", rows}, {"columns", columns}};
}

struct BlockSize {
  static constexpr wb::i64 kKi = 1 << 10, kMi = 1 << 20;
  static constexpr const char* case_names[] = {"{op}, {rows} x {columns}",
                                               "{op}, {elements} elements"};
  static constexpr wb::Case bench[] = {sums("rows", 4 * kMi, 49),
                                       sums("rows", 10'000'000, 7),
                                       sums("columns", 8, 10'000'000),
                                       sums("rows", 8 * kKi, 8 * kKi),
                                       sums("columns", 8 * kKi, 8 * kKi),
                                       addition(64 * kKi),
                                       addition(4 * kMi),
                                       addition(256 * kMi)};
  static constexpr wb::Case bench_cpu[] = {
      sums("rows", 256 * kKi, 49),    sums("rows", kMi, 7), sums("columns", 8, kMi),
      sums("rows", 4 * kKi, 4 * kKi), addition(64 * kKi),   addition(16 * kMi)};
  static constexpr wb::Case test[] = {addition(0),
                                      addition(1),
                                      addition(31),
                                      addition(4097),
                                      addition(100'003),
                                      sums("rows", 0, 5),
                                      sums("rows", 5, 0),
                                      sums("rows", 1, 1),
                                      sums("rows", 127, 7),
                                      sums("rows", 2051, 7),
                                      sums("rows", 1030, 49),
                                      sums("rows", 515, 8),
                                      sums("rows", 33, 1000),
                                      sums("rows", 7, 8191),
                                      sums("rows", 2, 60'001),
                                      sums("columns", 0, 5),
                                      sums("columns", 5, 0),
                                      sums("columns", 1, 1),
                                      sums("columns", 8, 4099),
                                      sums("columns", 9, 20'000),
                                      sums("columns", 5003, 3),
                                      sums("columns", 517, 129),
                                      sums("columns", 1000, 64)};

  struct Args {
    Operation op;
    wb::i64 rows, columns;  // of a and b; add has one row
    const float* a = nullptr;
    const float* b = nullptr;  // add alone has it
    float* y = nullptr;
    wb::Case axes = {};
  };

  // What a case says, without arrays.
  static Args sizes(const wb::Case& c) {
    const std::string_view name = c.word("op");
    if (name == "add")
      return {.op = Operation::add, .rows = 1, .columns = c["elements"], .axes = c};
    if (name != "rows" && name != "columns")
      throw wb::Unsupported("unknown op " + std::string(name));
    return {.op = name == "rows" ? Operation::rows : Operation::columns,
            .rows = c["rows"],
            .columns = c["columns"],
            .axes = c};
  }

  static Args bind(wb::Binder& io, const wb::Case& c) {
    Args p = sizes(c);
    const wb::i64 n = p.rows * p.columns;
    if (p.op == Operation::add) {
      p.a = io.in<float>("a", n), p.b = io.in<float>("b", n);
    } else {
      p.a = io.in<float>("a", n, no_rounding);
    }
    p.y = io.out<float>("y", p.op == Operation::rows ? p.rows : p.columns);
    return p;
  }

  static wb::Cost cost(const Args& p) {
    const double rows = static_cast<double>(p.rows), columns = static_cast<double>(p.columns);
    const double elements = rows * columns;
    if (p.op == Operation::add)
      return {.flops = elements, .read = 8 * elements, .write = 4 * elements};
    return {.flops = elements,
            .read = 4 * elements,
            .write = 4 * (p.op == Operation::rows ? rows : columns)};
  }

  // An addition of two rounds once. Sums of no_rounding() do not round at all, in whatever order.
  static wb::Tolerance tolerance(const Args& p) {
    return {.rel = p.op == Operation::add ? 0x1p-24 : 0};
  }

  static void reference(const Args& p) {
    const bool of_rows = p.op == Operation::rows;
    const wb::i64 outputs = p.op == Operation::rows ? p.rows : p.columns;
    const wb::i64 terms = of_rows ? p.columns : p.rows;
#pragma omp parallel for schedule(static) if (p.rows * p.columns > 65536)
    for (wb::i64 i = 0; i < outputs; ++i) {
      double sum = p.op == Operation::add ? static_cast<double>(p.b[i]) : 0;
      for (wb::i64 j = 0; j < terms; ++j)
        sum += static_cast<double>(p.a[of_rows ? i * p.columns + j : j * p.columns + i]);
      p.y[i] = static_cast<float>(sum);
    }
  }

 private:
  // Odd multiples of 2^-10 in (-1, 1). Every sum of up to 2^14 of them is exact in fp32, and of
  // 2^24 nearly always (ch3_reductions/02_inner_axis works out the chance).
  static double no_rounding(wb::i64 i, std::uint64_t seed) {
    const double u = wb::uniform(seed, static_cast<std::uint64_t>(i));
    return (2 * std::floor(u * 512) + 1) / 1024;
  }
};
