// y = the sum, mean or maximum of x over some of its axes; what is left keeps its order. As PyTorch
// has it, the sums are kept in fp32 and y has the type of x. Each element is read once and takes
// one flop, so the bandwidth of reads decides: 4 bytes per element in fp32, 2 in 16-bit types.
#pragma once

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "../reduce_axes/shape.h"
#include "wb/half.h"
#include "wb/problem.h"
#include "wb/profiles.h"
#include "wb/variant.h"

enum class Operation { sum, mean, max };

constexpr wb::Case over(const char* axes, const char* shape, const char* dtype = "fp32",
                        const char* op = "sum") {
  return {{"op", op}, {"dtype", dtype}, {"shape", shape}, {"axes", axes}};
}
// x starts `late` elements after an aligned address.
constexpr wb::Case view(const char* axes, const char* shape, const char* dtype, const char* op,
                        wb::i64 late) {
  return {{"op", op}, {"dtype", dtype}, {"shape", shape}, {"axes", axes}, {"late", late}};
}
// One element in a hundred is "inf" or "nan". For maxima alone "negative": all are below 0, three
// of four of them -inf.
constexpr wb::Case special(const char* values, const char* axes, const char* shape,
                           const char* dtype, const char* op) {
  return {{"op", op}, {"dtype", dtype}, {"shape", shape}, {"axes", axes}, {"values", values}};
}

struct MultiAxis {
  static constexpr const char* case_names[] = {"{op} of {shape} over ({axes}), {dtype}"};
  static constexpr wb::Case bench[] = {over("0,2", "64x128x64x128"),
                                       over("0,2", "64x128x64x128", "bf16"),
                                       over("0,2", "128x4096x128"),
                                       over("1,3", "64x128x64x128"),
                                       over("0,1", "64x128x64x128"),
                                       over("1,2", "64x128x64x128"),
                                       over("2,3", "64x128x64x128"),
                                       over("0,2,3", "32x256x56x56"),
                                       over("0,2,3", "32x256x56x56", "bf16"),
                                       over("1", "256x1024x256"),
                                       over("1", "256x1024x256", "bf16"),
                                       over("all", "64x128x64x128"),
                                       over("0,2", "127x129x131"),
                                       over("0,2", "64x128x64x128", "fp32", "max"),
                                       over("0,2,3", "32x256x56x56", "fp16", "mean")};
  static constexpr wb::Case bench_cpu[] = {
      over("0,2", "32x64x32x128"),        over("1,3", "32x64x32x128"), over("0,1", "32x64x32x128"),
      over("0,2,3", "16x64x56x56"),       over("all", "32x64x32x128"), over("0,2", "127x129x131"),
      over("0,2", "32x64x32x128", "bf16")};
  // Any shape, any axes: see ../reduce_axes/shape.h.
  static constexpr const char* any_word[] = {"shape", "axes"};
  static constexpr wb::Case test[] = {over("0", "0x5"),
                                      over("1", "5x0"),
                                      over("0,1", "0x7", "bf16", "mean"),
                                      over("0", "1"),
                                      over("none", "1x1"),
                                      over("1", "7x1x5", "fp16", "max"),
                                      over("all", "1x1x1", "bf16"),
                                      over("none", "31x33"),
                                      over("0", "31"),
                                      over("all", "33x1x127"),
                                      over("-1", "129x127"),
                                      over("0", "127x129"),
                                      over("-1,0", "31x33x129", "fp32", "mean"),
                                      over("0,2", "33x31x64"),
                                      over("0,2", "33x31x64", "bf16"),
                                      over("1,3", "9x33x7x20", "fp32", "max"),
                                      over("1", "31x127x128", "fp16"),
                                      over("1", "3x1009x131"),
                                      over("0,2", "127x129x131"),
                                      over("0,2", "17x19x131", "bf16", "max"),
                                      over("0,2", "17x149x131", "fp16", "max"),
                                      over("0,2", "128x131x49", "fp16", "mean"),
                                      over("0,2", "129x131x49"),
                                      over("0,2", "32x600x49"),
                                      over("1", "160x5001", "bf16"),
                                      over("1", "33x8192"),
                                      over("1", "7x16380"),
                                      over("1", "5x32760", "bf16", "max"),
                                      over("1,3", "3x90x4x128", "fp32", "max"),
                                      over("0,2", "100x7x240", "fp16", "mean"),
                                      over("1,3", "11x13x17x131", "fp32", "max"),
                                      over("0,2,3", "8x31x7x7"),
                                      over("0,2,3", "8x31x14x14", "bf16"),
                                      over("0,2,3", "8x16x28x28", "fp16", "mean"),
                                      over("0,2,4", "7x5x6x3x8"),
                                      over("1,3,5", "5x6x3x7x4x9"),
                                      over("0,2,4,6", "3x4x2x5x3x4x3x8"),
                                      over("1,3,5,7", "3x4x2x5x3x4x3x7", "bf16"),
                                      over("2,3,5", "3x1x4x5x1x6"),
                                      over("0,1", "64x128x1x129"),
                                      over("0", "8191x67"),
                                      over("0", "8192x64", "bf16"),
                                      over("0", "20011x3"),
                                      over("0", "2x100003"),
                                      over("1", "4001x3x8"),
                                      over("2", "1031x2x3", "fp16"),
                                      over("all", "101x99x103"),
                                      over("all", "1x262147", "bf16"),
                                      over("0,2", "16x2x70001"),
                                      over("2,3", "3x5x129x131", "fp32", "max"),
                                      over("0,2", "130x5x4x256", "fp16"),
                                      over("0", "1031x8192", "bf16", "max"),
                                      over("0,2", "20x140x26x64", "bf16"),
                                      view("0,2", "33x31x64", "fp32", "sum", 1),
                                      view("0,2", "33x31x64", "bf16", "max", 3),
                                      view("1,3", "9x33x7x20", "fp32", "sum", 2),
                                      view("1", "3x4099", "bf16", "mean", 5),
                                      view("all", "100003", "fp16", "sum", 7),
                                      view("1", "31x127x128", "fp32", "sum", 3),
                                      view("0,2,3", "8x31x7x7", "bf16", "sum", 1),
                                      view("0,2", "13x149x160", "fp32", "sum", 1),
                                      view("0,2", "13x149x161", "bf16", "mean", 3),
                                      view("0", "1009x36", "fp16", "mean", 4),
                                      special("inf", "0,2", "33x7x64", "fp32", "sum"),
                                      special("nan", "1", "31x127x16", "bf16", "sum"),
                                      special("nan", "0,2", "17x9x131", "fp32", "max"),
                                      special("nan", "0,2", "17x149x131", "bf16", "max"),
                                      special("inf", "0,2", "17x149x131", "fp32", "mean"),
                                      special("inf", "1,3", "4x33x7x20", "fp32", "max"),
                                      special("nan", "all", "7x2221", "bf16", "mean"),
                                      over("0,2", "2x3x2x5", "fp16"),
                                      over("1", "73x3x264"),
                                      over("1", "578x2x136", "fp32", "mean"),
                                      over("0,2", "4096x3x8"),
                                      special("negative", "1", "1031x3", "fp32", "max"),
                                      special("negative", "1", "3x2052", "fp32", "max"),
                                      special("negative", "all", "90112", "fp32", "max"),
                                      special("negative", "all", "100003", "fp32", "max"),
                                      special("negative", "0,2", "17x149x131", "bf16", "max"),
                                      special("negative", "0,2", "25x2x3x20", "fp32", "max"),
                                      special("negative", "0", "1031x36", "fp32", "max"),
                                      special("negative", "0,2", "8x3x9x17", "bf16", "max"),
                                      special("negative", "0,2", "5x2x131x9", "fp32", "max")};

  struct Args {
    Operation op;
    const char* dtype;  // of x and y
    Shape shape;
    const void* x;
    void* y;
  };

  // Ahead of bind(), or clang++ 14 does not find it.
  // Sums of n: odd multiples of a unit, in (-1, 1), so that none is 0. Their sum deviates from 0 by
  // 0.58 sqrt(n) or so; the unit is such that eight times that has 2^24 units at most, and fp32
  // holds each such number. No finer than T can hold. Maxima: numbers with a long tail, so that few
  // results are the same. Negative ones are the reciprocals of such; those of few elements are -inf
  // now and then.
  template <class T> static wb::Fill values(Operation op, std::string_view special, wb::i64 n) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const double rare = special == "nan" ? std::numeric_limits<double>::quiet_NaN() : kInfinity;
    const bool some = !special.empty(), max = op == Operation::max;
    const bool negative = max && special == "negative";
    if (some && !negative && special != "inf" && special != "nan")
      throw std::invalid_argument("unknown values " + std::string(special));
    const double deviation = 0.58 * std::sqrt(static_cast<double>(n) + 1);
    const double finest = -std::log2(wb::kRounding<T>);  // bits that T has
    const double half =
        std::exp2(std::floor(std::min(std::log2(0x1p24 / (8 * deviation)), finest)) - 1);
    return [=](wb::i64 i, std::uint64_t seed) {
      const auto index = static_cast<std::uint64_t>(i);
      const double chance = some ? wb::uniform(~seed, index) : 0;
      if (negative && chance < 0.5) return -kInfinity;
      if (!negative && chance > 0.98) return rare;
      const double u = wb::uniform(seed, index);
      if (!max) return (std::floor(u * half) + 0.5) / half;
      const double root = std::sqrt(std::abs(u) + 0x1p-24);
      return negative ? -root : std::copysign(1 / root, u);
    };
  }

  static Args bind(wb::Binder& io, const wb::Case& c) {
    const std::string_view name = c.word("op"), dtype = c.word("dtype");
    if (name != "sum" && name != "mean" && name != "max")
      throw wb::Unsupported("unknown op " + std::string(name));
    if (dtype != "fp32" && dtype != "fp16" && dtype != "bf16")
      throw wb::Unsupported("unknown dtype " + std::string(dtype));
    const Operation op = name == "sum"    ? Operation::sum
                         : name == "mean" ? Operation::mean
                                          : Operation::max;
    Shape shape = parse_shape(c.word("shape"));
    parse_axes(shape, c.word("axes"));
    if (op == Operation::max && shape.per_result() == 0)
      throw wb::Unsupported("no elements have no maximum");
    const wb::i64 late = c.get("late", 0);
    return wb::with_dtype(dtype, [&](auto zero) -> Args {
      using T = decltype(zero);
      const wb::i64 n = shape.per_result();
      const wb::Profiled how{.row = shape.size[shape.rank - 1], .late = late};
      const T* x = io.in<T>("x", shape.elements() + late,
                            !c.find("profile")     ? values<T>(op, c.word("values"), n)
                            : op == Operation::max ? wb::profiled<T>(c, how, 0)
                                                   : wb::profiled_sum<T>(c, how, n, 0));
      return {op, c.word("dtype"), shape, x ? x + late : x, io.out<T>("y", shape.results())};
    });
  }

  static double element_bytes(const char* dtype) {
    return wb::with_dtype(dtype, [](auto zero) { return static_cast<double>(sizeof(zero)); });
  }

  static wb::Cost cost(const Args& p) {
    const double elements = static_cast<double>(p.shape.elements());
    const double bytes = element_bytes(p.dtype);
    return {.flops = elements,
            .read = bytes * elements,
            .write = bytes * static_cast<double>(p.shape.results())};
  }

  // Sums: all partial sums are exact in fp32, in whatever order (see values()), and y is rounded
  // once, as the reference is. So nothing is allowed, and in fp32 one element more or less shows.
  // Means: the divisor and the quotient are rounded to fp32, then y to its type, which may turn a
  // value close to a tie the other way: a unit in the last place, and one of 2^-24 where fp16 is
  // subnormal.
  static wb::Tolerance tolerance(const Args& p) {
    wb::Tolerance t{.nan = true};
    if (p.op == Operation::mean)
      wb::with_dtype(p.dtype, [&](auto zero) {
        using T = decltype(zero);
        t.rel = (std::is_same_v<T, float> ? 3 : 2) * wb::kRounding<T>;
        t.abs = std::is_same_v<T, wb::half> ? 0x1p-24 : 0;
      });
    return t;
  }

  // In double. The last axis is walked in memory order, whether it is kept or reduced.
  static void reference(const Args& p) {
    wb::with_dtype(p.dtype, [&](auto zero) {
      using T = decltype(zero);
      const Shape& s = p.shape;
      if (s.results() == 0) return;
      const int last = s.rank - 1;
      const wb::i64 run = s.size[last], columns = s.reduced[last] ? 1 : run;
      // The first element of the n-th of all runs that have the other axes, kept or reduced.
      const auto begin = [&](wb::i64 n, bool reduced) {
        wb::i64 at = 0, stride = run;
        for (int a = last - 1; a >= 0; stride *= s.size[a--])
          if (s.reduced[a] == reduced) at += n % s.size[a] * stride, n /= s.size[a];
        return at;
      };
      const wb::i64 outer = s.results() / columns;
      const wb::i64 runs = s.reduced[last] ? (run ? s.per_result() / run : 0) : s.per_result();
      const bool max = p.op == Operation::max;
#pragma omp parallel for schedule(static) if (s.elements() > 65536)
      for (wb::i64 o = 0; o < outer; ++o) {
        std::vector<double> result(columns, max ? -std::numeric_limits<double>::infinity() : 0);
        for (wb::i64 r = 0; r < runs; ++r) {
          const T* x = static_cast<const T*>(p.x) + begin(o, false) + begin(r, true);
          for (wb::i64 i = 0; i < run; ++i) {
            double& all = result[columns == run ? i : 0];
            const double value = static_cast<double>(x[i]);
            if (!max)
              all += value;
            else if (value > all || std::isnan(value))  // a NaN stays
              all = value;
          }
        }
        const double divisor = p.op == Operation::mean ? static_cast<double>(s.per_result()) : 1;
        for (wb::i64 i = 0; i < columns; ++i)
          static_cast<T*>(p.y)[o * columns + i] = static_cast<T>(result[i] / divisor);
      }
    });
  }
};
