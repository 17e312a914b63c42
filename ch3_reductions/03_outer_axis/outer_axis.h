// y[column] = the sum, mean or maximum of x[row, column] over the rows. As PyTorch has it, the sums
// are kept in fp32 and y has the type of x. Each element is read once and takes one flop, so the
// bandwidth of reads decides: 4 bytes per element in fp32, 2 in the 16-bit types.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

#include "wb/half.h"
#include "wb/problem.h"
#include "wb/profiles.h"
#include "wb/variant.h"

enum class Operation { sum, mean, max };

constexpr wb::Case matrix(const char* op, const char* dtype, wb::i64 rows, wb::i64 columns) {
  return {{"op", op}, {"dtype", dtype}, {"rows", rows}, {"columns", columns}};
}
// Rows that begin `stride` elements apart, the first one `late` elements after an aligned address.
constexpr wb::Case view(const char* op, const char* dtype, wb::i64 rows, wb::i64 columns,
                        wb::i64 stride, wb::i64 late) {
  return {{"op", op},           {"dtype", dtype},   {"rows", rows},
          {"columns", columns}, {"stride", stride}, {"late", late}};
}
// "inf": some elements are infinite; "both": of either sign; "nan": some are no numbers. For maxima
// alone "negative": all are below 0, three of four of them -inf.
constexpr wb::Case special(const char* op, const char* dtype, const char* values, wb::i64 rows,
                           wb::i64 columns) {
  return {{"op", op}, {"dtype", dtype}, {"values", values}, {"rows", rows}, {"columns", columns}};
}

struct OuterAxis {
  static constexpr wb::i64 kKi = 1 << 10, kMi = 1 << 20;
  static constexpr const char* case_names[] = {"{op}, {columns} columns of {rows}, {dtype}"};
  static constexpr wb::Case bench[] = {
      matrix("sum", "fp32", 8 * kKi, 8 * kKi), matrix("sum", "bf16", 8 * kKi, 8 * kKi),
      matrix("sum", "fp32", 16 * kMi, 4),      matrix("sum", "fp32", kMi, 64),
      matrix("sum", "fp32", 64 * kKi, kKi),    matrix("sum", "fp32", kKi, 64 * kKi),
      matrix("sum", "fp32", 64, kMi),          matrix("sum", "fp32", 8192, 8191),
      matrix("sum", "fp32", 128, 4096),        matrix("sum", "bf16", kMi, 64),
      matrix("sum", "bf16", kKi, 64 * kKi),    matrix("sum", "bf16", 8192, 8191),
      matrix("max", "fp32", 8 * kKi, 8 * kKi), matrix("mean", "fp16", 8 * kKi, 8 * kKi)};
  static constexpr wb::Case bench_cpu[] = {
      matrix("sum", "fp32", 4096, 4096), matrix("sum", "fp32", 4 * kMi, 4),
      matrix("sum", "fp32", 256 * kKi, 64), matrix("sum", "fp32", 4, 4 * kMi),
      matrix("sum", "bf16", 8192, 4096)};
  static constexpr wb::Sweep sweeps[] = {{"columns", 4, 32 * kKi, wb::Show::bandwidth, 2}};
  static constexpr wb::Sweep sweeps_cpu[] = {{"columns", 4, 16 * kKi, wb::Show::bandwidth, 2}};
  static constexpr wb::Case test[] = {matrix("sum", "fp32", 5, 0),
                                      matrix("sum", "fp32", 0, 5),
                                      matrix("mean", "bf16", 0, 3),
                                      matrix("sum", "bf16", 0, 1000),
                                      matrix("sum", "fp32", 1, 1),
                                      matrix("max", "fp16", 1, 1),
                                      matrix("sum", "bf16", 1, 31),
                                      matrix("sum", "fp32", 1, 4099),
                                      matrix("mean", "fp32", 2, 33),
                                      matrix("sum", "fp32", 1031, 4),
                                      matrix("sum", "bf16", 517, 4),
                                      matrix("max", "fp32", 127, 7),
                                      matrix("sum", "fp16", 129, 8),
                                      matrix("sum", "fp32", 4099, 1),
                                      matrix("sum", "bf16", 40'003, 1),
                                      matrix("sum", "fp32", 40'003, 3),
                                      matrix("max", "bf16", 10'007, 5),
                                      matrix("sum", "fp32", 100, 31),
                                      matrix("sum", "bf16", 77, 33),
                                      matrix("sum", "fp32", 3001, 64),
                                      matrix("sum", "bf16", 3001, 64),
                                      matrix("sum", "fp16", 65, 96),
                                      matrix("max", "bf16", 31, 127),
                                      matrix("sum", "fp32", 129, 128),
                                      matrix("mean", "fp16", 40, 129),
                                      matrix("sum", "bf16", 2203, 130),
                                      matrix("sum", "fp32", 127, 1031),
                                      matrix("max", "fp32", 2129, 129),
                                      matrix("sum", "fp32", 7, 40'003),
                                      matrix("sum", "bf16", 33, 8192),
                                      matrix("sum", "fp32", 1031, 1024),
                                      matrix("sum", "fp16", 100'003, 1),
                                      matrix("mean", "bf16", 4096, 258),
                                      matrix("max", "fp32", 32'768, 5),
                                      matrix("sum", "fp32", 131'073, 2),
                                      matrix("sum", "bf16", 262'147, 1),
                                      matrix("sum", "bf16", 1031, 8192),
                                      matrix("max", "fp32", 523, 7001),
                                      matrix("sum", "fp32", 128, 4096),
                                      matrix("mean", "bf16", 128, 192),
                                      matrix("sum", "fp16", 256, 192),
                                      matrix("max", "fp32", 256, 96),
                                      matrix("sum", "fp32", 255, 96),
                                      matrix("sum", "fp32", 257, 96),
                                      matrix("sum", "fp32", 8, 160),
                                      matrix("sum", "fp32", 128, 100),
                                      matrix("sum", "fp32", 64, 8192),
                                      matrix("max", "bf16", 99, 16'384),
                                      matrix("sum", "fp32", 32, 16'384),
                                      matrix("sum", "bf16", 50, 32'768),
                                      view("sum", "fp32", 33, 4, 8, 0),
                                      view("sum", "fp32", 1031, 4, 4, 1),
                                      view("sum", "bf16", 4099, 3, 3, 5),
                                      view("sum", "fp32", 129, 31, 33, 1),
                                      view("sum", "bf16", 127, 64, 72, 0),
                                      view("mean", "fp16", 33, 129, 160, 7),
                                      view("sum", "fp32", 67, 1000, 1003, 3),
                                      view("max", "bf16", 9, 4097, 5000, 3),
                                      view("sum", "fp32", 2251, 133, 135, 1),
                                      view("sum", "fp16", 1031, 403, 405, 7),
                                      view("sum", "fp32", 2, 60'000, 60'001, 1),
                                      view("sum", "fp32", 128, 96, 100, 4),
                                      view("max", "bf16", 77, 64, 72, 8),
                                      view("sum", "fp32", 128, 96, 100, 1),
                                      view("sum", "fp32", 128, 96, 98, 0),
                                      special("sum", "fp32", "inf", 31, 100),
                                      special("sum", "fp32", "both", 130, 129),
                                      special("sum", "bf16", "nan", 700, 40),
                                      special("mean", "fp32", "inf", 131, 2203),
                                      special("max", "fp32", "nan", 33, 300),
                                      special("max", "bf16", "nan", 100, 320),
                                      special("sum", "fp32", "inf", 100, 320),
                                      special("max", "fp32", "inf", 40'003, 2),
                                      special("max", "bf16", "nan", 9000, 9),
                                      special("sum", "fp32", "nan", 100'003, 2),
                                      matrix("sum", "bf16", 7, 1000),
                                      matrix("sum", "fp32", 8, 8196),
                                      matrix("sum", "fp32", 8, 16'388),
                                      matrix("max", "fp32", 8, 16'385),
                                      view("sum", "fp32", 33'900, 4, 8, 0),
                                      view("sum", "fp32", 33'900, 3, 5, 1),
                                      special("max", "bf16", "negative", 3, 131),
                                      special("max", "fp32", "negative", 5, 1000),
                                      special("max", "fp32", "negative", 127, 8),
                                      special("max", "bf16", "negative", 10'007, 5),
                                      special("max", "fp16", "negative", 31, 127),
                                      special("max", "bf16", "negative", 100, 320),
                                      special("max", "fp32", "negative", 2129, 129)};

  // Columns are cut into pieces by their length alone.
  static constexpr const char* same_bits[] = {"optimized", "exercise", "solution"};

  struct Args {
    Operation op;
    const char* dtype;  // of x and y
    wb::i64 rows, columns;
    wb::i64 stride;  // elements from one row's begin to the next one's
    const void* x;
    void* y;
  };

  static Args bind(wb::Binder& io, const wb::Case& c) {
    const wb::i64 rows = c["rows"], columns = c["columns"], stride = c.get("stride", columns);
    const wb::i64 late = c.get("late", 0);
    const std::string_view name = c.word("op");
    if (name != "sum" && name != "mean" && name != "max")
      throw std::invalid_argument("unknown op " + std::string(name));
    const Operation op = name == "sum"    ? Operation::sum
                         : name == "mean" ? Operation::mean
                                          : Operation::max;
    if (op == Operation::max && rows == 0) throw wb::Unsupported("no elements have no maximum");
    if (stride < columns) throw wb::Unsupported("rows that overlap: stride is below columns");
    // The array ends with the last row, not with its stride.
    const wb::i64 count = late + (rows ? (rows - 1) * stride + columns : 0);
    const bool drawn = c.find("profile");
    const bool exact = op != Operation::max && c.word("profile") != std::string_view("rounding");
    return wb::with_dtype(c.word("dtype"), [&](auto zero) -> Args {
      using T = decltype(zero);
      const wb::Profiled how{.row = stride, .late = late};
      const T* x = io.in<T>("x", count,
                            !drawn  ? values(op, c.word("values"))
                            : exact ? wb::profiled_sum<T>(c, how, rows, 0)
                                    : wb::profiled<T>(c, how, 0));
      return {
          op, c.word("dtype"), rows, columns, stride, x ? x + late : x, io.out<T>("y", columns)};
    });
  }

  static double element_bytes(const char* dtype) {
    return wb::with_dtype(dtype, [](auto zero) { return static_cast<double>(sizeof(zero)); });
  }

  static wb::Cost cost(const Args& p) {
    const double columns = static_cast<double>(p.columns), bytes = element_bytes(p.dtype);
    const double elements = static_cast<double>(p.rows) * columns;
    return {.flops = elements, .read = bytes * elements, .write = bytes * columns};
  }

  // Sums: all elements are odd multiples of 2^-10 in (-1, 1), or such numbers rounded to 8 or 11
  // bits, so all sums are multiples of 2^-10. fp32 has every such number up to 2^14. n of them add
  // up to 0.58 sqrt(n) or so, on either side of 0, and to 6.9 times that hardly ever: up to
  // n = 2^24 no addition rounds, in whatever order, and y is rounded once, as the reference is.
  // Nothing is allowed, so one element of fp32 more or less shows. (In a 16-bit y it shows where it
  // is no smaller than a unit in the last place: in bf16 that is 1/4 for a column of 8192, and 4
  // for a column of a million.) Longer columns: an addition errs by half a unit of its result,
  // these errors add up like a random walk on top of a random walk, to 0.2 n 2^-24; 40 times that
  // is hardly ever exceeded.
  // Means: the divisor and the quotient are rounded to fp32, then y to its type, which may turn a
  // value close to a tie the other way: a unit in the last place. fp16 has subnormal numbers.
  static wb::Tolerance tolerance(const Args& p) {
    return wb::with_dtype(p.dtype, [&](auto zero) -> wb::Tolerance {
      using T = decltype(zero);
      wb::Tolerance t{.nan = true};
      if (p.op != Operation::max && p.rows > 1 << 24)
        t = {.rel = 2 * wb::kRounding<T>,
             .abs = 8 * 0x1p-24 * static_cast<double>(p.op == Operation::sum ? p.rows : 1),
             .nan = true};
      else if (p.op == Operation::mean)
        t = {.rel = 2 * wb::kRounding<T>,
             .abs = std::is_same_v<T, wb::half> ? 0x1p-24 : 0,
             .nan = true};
      return t;
    });
  }

  // Row by row into sums in double, some columns at a time.
  static void reference(const Args& p) {
    constexpr wb::i64 kAtATime = 512;
    wb::with_dtype(p.dtype, [&](auto zero) {
      using T = decltype(zero);
      const T* x = static_cast<const T*>(p.x);
      T* y = static_cast<T*>(p.y);
      const bool max = p.op == Operation::max;
#pragma omp parallel for schedule(static) if (p.rows * p.columns > 65536)
      for (wb::i64 first = 0; first < p.columns; first += kAtATime) {
        const wb::i64 count = std::min(kAtATime, p.columns - first);
        double result[kAtATime];
        std::fill_n(result, count, max ? -std::numeric_limits<double>::infinity() : 0);
        for (wb::i64 row = 0; row < p.rows; ++row)
          for (wb::i64 i = 0; i < count; ++i) {
            const double value = static_cast<double>(x[row * p.stride + first + i]);
            if (!max)
              result[i] += value;
            else if (value > result[i] || std::isnan(value))  // a NaN stays
              result[i] = value;
          }
        const double divisor = p.op == Operation::mean ? static_cast<double>(p.rows) : 1;
        for (wb::i64 i = 0; i < count; ++i) y[first + i] = static_cast<T>(result[i] / divisor);
      }
    });
  }

 private:
  // Maxima are drawn from numbers with a long tail, so that few columns have the same one. Negative
  // ones are the reciprocals of such; short columns of them are all -inf now and then.
  static wb::Fill values(Operation op, std::string_view special) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const double rare = special == "nan" ? std::numeric_limits<double>::quiet_NaN() : kInfinity;
    const bool both = special == "both", max = op == Operation::max;
    const bool negative = max && special == "negative", some = !special.empty();
    if (some && !negative && !both && special != "inf" && special != "nan")
      throw std::invalid_argument("unknown values " + std::string(special));
    return [=](wb::i64 i, std::uint64_t seed) {
      const double chance = some ? wb::uniform(~seed, static_cast<std::uint64_t>(i)) : 0;
      if (negative && chance < 0.5) return -kInfinity;
      if (!negative && chance > 0.99) return rare;
      if (both && chance < -0.99) return -rare;
      const double u = wb::uniform(seed, static_cast<std::uint64_t>(i));
      if (!max) return (2 * std::floor(u * 512) + 1) / 1024;
      const double root = std::sqrt(std::abs(u) + 0x1p-24);
      return negative ? -root : std::copysign(1 / root, u);
    };
  }
};
