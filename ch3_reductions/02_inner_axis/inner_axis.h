// y[row] = the sum, mean or maximum of x[row, column] over the columns. As PyTorch has it, the sums
// are kept in fp32 and y has the type of x. Each element is read once and takes one flop, so the
// bandwidth of reads decides: 4 bytes per element in fp32, 2 in the 16-bit types.
#pragma once

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

struct InnerAxis {
  static constexpr wb::i64 kKi = 1 << 10, kMi = 1 << 20;
  static constexpr const char* case_names[] = {"{op}, {rows} rows of {columns}, {dtype}"};
  static constexpr wb::Case bench[] = {
      matrix("sum", "fp32", 8 * kKi, 8 * kKi), matrix("sum", "bf16", 8 * kKi, 8 * kKi),
      matrix("sum", "fp32", 16 * kMi, 4),      matrix("sum", "fp32", kMi, 64),
      matrix("sum", "fp32", 64 * kKi, kKi),    matrix("sum", "fp32", kKi, 64 * kKi),
      matrix("sum", "fp32", 64, kMi),          matrix("sum", "fp32", 8192, 8191),
      matrix("sum", "fp32", 4096, 128),        matrix("sum", "bf16", kMi, 64),
      matrix("sum", "bf16", kKi, 64 * kKi),    matrix("sum", "bf16", 8192, 8191),
      matrix("max", "fp32", 8 * kKi, 8 * kKi), matrix("mean", "fp16", 8 * kKi, 8 * kKi)};
  static constexpr wb::Case bench_cpu[] = {
      matrix("sum", "fp32", 4096, 4096), matrix("sum", "fp32", 4 * kMi, 4),
      matrix("sum", "fp32", 256 * kKi, 64), matrix("sum", "fp32", 4, 4 * kMi),
      matrix("sum", "bf16", 8192, 4096)};
  static constexpr wb::Sweep sweeps[] = {{"columns", 4, 32 * kKi, wb::Show::bandwidth, 2}};
  static constexpr wb::Sweep sweeps_cpu[] = {{"columns", 4, 16 * kKi, wb::Show::bandwidth, 2}};
  static constexpr wb::Case test[] = {matrix("sum", "fp32", 0, 5),
                                      matrix("sum", "fp32", 5, 0),
                                      matrix("mean", "bf16", 3, 0),
                                      matrix("sum", "fp32", 1, 1),
                                      matrix("max", "fp16", 1, 1),
                                      matrix("sum", "bf16", 31, 1),
                                      matrix("mean", "fp32", 33, 2),
                                      matrix("sum", "fp32", 1031, 4),
                                      matrix("sum", "bf16", 517, 4),
                                      matrix("max", "fp32", 127, 7),
                                      matrix("sum", "fp16", 129, 8),
                                      matrix("sum", "fp32", 100, 31),
                                      matrix("sum", "bf16", 77, 33),
                                      matrix("sum", "fp32", 300, 64),
                                      matrix("sum", "fp16", 65, 96),
                                      matrix("max", "bf16", 31, 127),
                                      matrix("sum", "fp32", 129, 128),
                                      matrix("mean", "fp16", 40, 129),
                                      matrix("sum", "bf16", 2203, 130),
                                      matrix("sum", "fp32", 2137, 197),
                                      matrix("max", "fp32", 2129, 129),
                                      matrix("sum", "fp32", 7, 4099),
                                      matrix("sum", "bf16", 31, 8192),
                                      matrix("sum", "fp16", 65, 1000),
                                      matrix("max", "bf16", 31, 2056),
                                      matrix("mean", "fp32", 129, 2044),
                                      matrix("sum", "bf16", 140, 4104),
                                      matrix("max", "fp32", 9, 8188),
                                      matrix("sum", "fp32", 33, 8192),
                                      matrix("mean", "fp16", 7, 16'384),
                                      matrix("sum", "fp32", 3, 40'003),
                                      matrix("sum", "fp16", 1, 100'003),
                                      matrix("mean", "bf16", 2, 65'536),
                                      matrix("max", "fp32", 5, 32'768),
                                      matrix("sum", "fp32", 2, 131'073),
                                      matrix("sum", "bf16", 1, 262'147),
                                      matrix("sum", "fp32", 512, 4),
                                      matrix("max", "bf16", 256, 8),
                                      matrix("sum", "fp16", 128, 16),
                                      matrix("mean", "fp32", 64, 16),
                                      matrix("sum", "bf16", 96, 64),
                                      matrix("sum", "fp32", 32, 64),
                                      matrix("max", "fp16", 48, 256),
                                      matrix("sum", "fp32", 48, 128),
                                      matrix("sum", "fp32", 47, 128),
                                      matrix("sum", "fp32", 48, 124),
                                      view("sum", "fp32", 32, 128, 132, 4),
                                      view("max", "bf16", 64, 128, 136, 8),
                                      view("sum", "fp32", 32, 64, 68, 2),
                                      view("sum", "bf16", 32, 64, 68, 0),
                                      view("sum", "fp32", 33, 4, 8, 0),
                                      view("sum", "fp32", 17, 5000, 5004, 4),
                                      view("sum", "fp32", 129, 31, 33, 1),
                                      view("sum", "bf16", 127, 64, 72, 0),
                                      view("mean", "fp16", 33, 129, 160, 7),
                                      view("sum", "fp32", 67, 1000, 1003, 3),
                                      view("max", "bf16", 9, 4097, 5000, 3),
                                      view("sum", "fp32", 2251, 133, 135, 1),
                                      view("sum", "fp16", 3, 40'003, 40'320, 7),
                                      view("sum", "fp32", 2, 60'000, 60'001, 1),
                                      special("sum", "fp32", "inf", 100, 31),
                                      special("sum", "fp32", "both", 129, 130),
                                      special("sum", "bf16", "nan", 40, 700),
                                      special("mean", "fp32", "inf", 2203, 131),
                                      special("max", "fp32", "nan", 300, 33),
                                      special("max", "bf16", "nan", 48, 256),
                                      special("sum", "fp32", "inf", 64, 64),
                                      special("max", "fp32", "inf", 2, 40'003),
                                      special("max", "bf16", "nan", 9, 9000),
                                      special("sum", "fp32", "nan", 2, 100'003),
                                      special("max", "fp32", "negative", 100, 6),
                                      special("max", "fp16", "negative", 40, 27),
                                      special("max", "bf16", "negative", 77, 24),
                                      special("max", "fp32", "negative", 33, 100),
                                      special("max", "fp16", "negative", 65, 68),
                                      special("max", "fp32", "negative", 2203, 131),
                                      special("max", "fp32", "negative", 2203, 132),
                                      special("max", "fp32", "negative", 67, 1000),
                                      special("max", "fp16", "negative", 33, 301),
                                      special("max", "fp32", "negative", 9, 3000),
                                      special("max", "bf16", "negative", 7, 9001),
                                      special("max", "fp32", "negative", 3, 16'380),
                                      special("max", "bf16", "negative", 2, 40'003)};

  // Rows are cut into pieces by their length alone.
  static constexpr const char* same_bits[] = {"optimized"};

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
      throw wb::Unsupported("unknown op " + std::string(name));
    const Operation op = name == "sum"    ? Operation::sum
                         : name == "mean" ? Operation::mean
                                          : Operation::max;
    if (op == Operation::max && columns == 0) throw wb::Unsupported("no elements have no maximum");
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
                            : exact ? wb::profiled_sum<T>(c, how, columns, 0)
                                    : wb::profiled<T>(c, how, 0));
      return {op, c.word("dtype"), rows, columns, stride, x ? x + late : x, io.out<T>("y", rows)};
    });
  }

  static double element_bytes(const char* dtype) {
    return wb::with_dtype(dtype, [](auto zero) { return static_cast<double>(sizeof(zero)); });
  }

  static wb::Cost cost(const Args& p) {
    const double rows = static_cast<double>(p.rows), bytes = element_bytes(p.dtype);
    const double elements = rows * static_cast<double>(p.columns);
    return {.flops = elements, .read = bytes * elements, .write = bytes * rows};
  }

  // Sums: all elements are odd multiples of 2^-10 in (-1, 1), or such numbers rounded to 8 or 11
  // bits, so all sums are multiples of 2^-10. fp32 has every such number up to 2^14. n of them add
  // up to 0.58 sqrt(n) or so, on either side of 0, and to 6.9 times that hardly ever: up to
  // n = 2^24 no addition rounds, in whatever order, and y is rounded once, as the reference is.
  // Nothing is allowed, so one element of fp32 more or less shows. (In a 16-bit y it shows where it
  // is no smaller than a unit in the last place: in bf16 that is 1/4 for a row of 8192, and 4 for a
  // row of a million.) Longer rows: an addition errs by half a unit of its result, these errors add
  // up like a random walk on top of a random walk, to 0.2 n 2^-24; 40 times that is hardly ever
  // exceeded.
  // Means: the divisor and the quotient are rounded to fp32, then y to its type, which may turn a
  // value close to a tie the other way: a unit in the last place. fp16 has subnormal numbers.
  static wb::Tolerance tolerance(const Args& p) {
    return wb::with_dtype(p.dtype, [&](auto zero) -> wb::Tolerance {
      using T = decltype(zero);
      wb::Tolerance t{.nan = true};
      if (p.op != Operation::max && p.columns > 1 << 24)
        t = {.rel = 2 * wb::kRounding<T>,
             .abs = 8 * 0x1p-24 * static_cast<double>(p.op == Operation::sum ? p.columns : 1),
             .nan = true};
      else if (p.op == Operation::mean)
        t = {.rel = 2 * wb::kRounding<T>,
             .abs = std::is_same_v<T, wb::half> ? 0x1p-24 : 0,
             .nan = true};
      return t;
    });
  }

  static void reference(const Args& p) {
    reduce_rows(p, [](double value) { return value; });
  }

 protected:
  template <class Of> static void reduce_rows(const Args& p, Of of) {
    wb::with_dtype(p.dtype, [&](auto zero) {
      using T = decltype(zero);
      const T* x = static_cast<const T*>(p.x);
      T* y = static_cast<T*>(p.y);
#pragma omp parallel for schedule(static) if (p.rows * p.columns > 65536)
      for (wb::i64 row = 0; row < p.rows; ++row) {
        double result = p.op == Operation::max ? -std::numeric_limits<double>::infinity() : 0;
        for (wb::i64 column = 0; column < p.columns; ++column) {
          const double value = of(static_cast<double>(x[row * p.stride + column]));
          if (p.op != Operation::max)
            result += value;
          else if (value > result || std::isnan(value))  // a NaN stays
            result = value;
        }
        y[row] = static_cast<T>(p.op == Operation::mean ? result / static_cast<double>(p.columns)
                                                        : result);
      }
    });
  }

 private:
  // Maxima are drawn from numbers with a long tail, so that few rows have the same one. Negative
  // ones are the reciprocals of such; short rows of them are all -inf now and then.
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

// The exercise on a CPU: the same of |x|, so that a sum is the row's L1 norm. Sums only grow: from
// 2^14 on they may round, and after n additions are off by a walk of sqrt(n / 3) times 2^-25 of
// them; 2 sqrt(n) 2^-24 is seven times that.
struct Magnitudes : InnerAxis {
  static wb::Tolerance tolerance(const Args& p) {
    wb::Tolerance t = InnerAxis::tolerance(p);
    if (p.op == Operation::max || p.columns < 1 << 14) return t;
    return wb::with_dtype(p.dtype, [&](auto zero) -> wb::Tolerance {
      const double walk = 2 * std::sqrt(static_cast<double>(p.columns)) * 0x1p-24;
      t.rel = 2 * wb::kRounding<decltype(zero)> + walk;
      return t;
    });
  }
  static void reference(const Args& p) {
    reduce_rows(p, [](double value) { return std::abs(value); });
  }
};
