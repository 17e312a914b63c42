// One number from n: their sum, mean, largest or smallest. One addition for 4 bytes read (2 in the
// 16-bit types), and next to nothing is written: the least time is that of reading.
//
// Inputs of a sum are odd multiples of a small unit, of either sign. However they are grouped, no
// partial sum comes to 2^24 units, so fp32 holds each one exactly, every order of additions gives
// the same bits, and the tolerance is 0: one element left out or counted twice shows at any size.
// (What rounding does where it happens is the question of lesson 10_precision.)
#pragma once

#include <algorithm>
#include <cmath>

#include "operations.h"
#include "wb/half.h"
#include "wb/profiles.h"
#include "wb/variant.h"

struct Sum {
  static constexpr const char* case_names[] = {"{op} of {elements} elements, {dtype}"};
  static constexpr wb::Case bench[] = {
      {{"size", "xlarge"}, {"op", "sum"}, {"dtype", "fp32"}, {"elements", 1 << 28}},
      {{"size", "small"}, {"op", "sum"}, {"dtype", "fp32"}, {"elements", 1 << 16}},
      {{"size", "small"}, {"op", "sum"}, {"dtype", "fp32"}, {"elements", 1 << 20}},
      {{"size", "medium"}, {"op", "sum"}, {"dtype", "fp32"}, {"elements", 1 << 24}},
      {{"size", "large"}, {"op", "sum"}, {"dtype", "fp32"}, {"elements", 1 << 26}},
      {{"size", "xlarge"}, {"op", "sum"}, {"dtype", "fp32"}, {"elements", 1 << 30}},
      {{"size", "xlarge"}, {"op", "sum"}, {"dtype", "bf16"}, {"elements", 1 << 28}},
      {{"size", "xlarge"}, {"op", "max"}, {"dtype", "fp32"}, {"elements", 1 << 28}}};
  static constexpr wb::Case bench_cpu[] = {
      {{"size", "large"}, {"op", "sum"}, {"dtype", "fp32"}, {"elements", 1 << 26}},
      {{"size", "small"}, {"op", "sum"}, {"dtype", "fp32"}, {"elements", 1 << 16}},
      {{"size", "medium"}, {"op", "sum"}, {"dtype", "fp32"}, {"elements", 1 << 22}},
      {{"size", "large"}, {"op", "sum"}, {"dtype", "bf16"}, {"elements", 1 << 26}},
      {{"size", "large"}, {"op", "max"}, {"dtype", "fp32"}, {"elements", 1 << 26}}};
  static constexpr wb::Sweep sweeps[] = {{"elements", 1 << 10, 1 << 30, wb::Show::bandwidth, 4}};
  static constexpr wb::Sweep sweeps_cpu[] = {
      {"elements", 1 << 10, 1 << 26, wb::Show::bandwidth, 4}};
  // On the command line also mean, min and fp16.
  static constexpr const char* any_word[] = {"op", "dtype"};
  // late: x starts that many elements late, as a view may. special: one element is that.
  static constexpr wb::Case test[] = {
      {{"op", "sum"}, {"dtype", "fp32"}, {"elements", 0}},
      {{"op", "max"}, {"dtype", "fp32"}, {"elements", 0}},
      {{"op", "mean"}, {"dtype", "bf16"}, {"elements", 0}},
      {{"op", "sum"}, {"dtype", "fp32"}, {"elements", 1}},
      {{"op", "min"}, {"dtype", "fp32"}, {"elements", 1}, {"late", 1}},
      {{"op", "sum"}, {"dtype", "fp32"}, {"elements", 31}},
      {{"op", "mean"}, {"dtype", "fp32"}, {"elements", 33}},
      {{"op", "max"}, {"dtype", "fp32"}, {"elements", 127}, {"late", 3}},
      {{"op", "sum"}, {"dtype", "fp32"}, {"elements", 129}, {"late", 1}},
      {{"op", "min"}, {"dtype", "fp32"}, {"elements", 1009}},
      {{"op", "sum"}, {"dtype", "fp32"}, {"elements", 8192}},
      {{"op", "sum"}, {"dtype", "fp32"}, {"elements", 65'536}},
      {{"op", "mean"}, {"dtype", "fp32"}, {"elements", 100'003}, {"late", 2}},
      {{"op", "max"}, {"dtype", "fp32"}, {"elements", 1'000'003}},
      {{"op", "sum"}, {"dtype", "fp32"}, {"elements", 2'200'003}, {"late", 3}},
      {{"op", "sum"}, {"dtype", "fp32"}, {"elements", 4'200'001}},
      {{"op", "sum"}, {"dtype", "fp16"}, {"elements", 7}, {"late", 7}},
      {{"op", "max"}, {"dtype", "fp16"}, {"elements", 4099}, {"late", 5}},
      {{"op", "sum"}, {"dtype", "fp16"}, {"elements", 1'000'003}},
      {{"op", "sum"}, {"dtype", "bf16"}, {"elements", 33}},
      {{"op", "min"}, {"dtype", "bf16"}, {"elements", 100'003}, {"late", 1}},
      {{"op", "mean"}, {"dtype", "bf16"}, {"elements", 65'535}, {"late", 2}},
      {{"op", "sum"}, {"dtype", "bf16"}, {"elements", 4'300'003}},
      {{"op", "sum"}, {"dtype", "fp32"}, {"elements", 1009}, {"special", "inf"}},
      {{"op", "mean"}, {"dtype", "fp32"}, {"elements", 1009}, {"special", "minus_inf"}},
      {{"op", "sum"}, {"dtype", "bf16"}, {"elements", 70'001}, {"special", "nan"}},
      {{"op", "max"}, {"dtype", "fp32"}, {"elements", 70'001}, {"special", "nan"}},
      {{"op", "min"}, {"dtype", "fp16"}, {"elements", 70'001}, {"special", "nan"}},
      {{"op", "max"}, {"dtype", "fp32"}, {"elements", 129}, {"special", "minus_inf"}},
      {{"op", "min"}, {"dtype", "bf16"}, {"elements", 1009}, {"special", "minus_inf"}}};

  // Arrays are cut into pieces by their length alone.
  static constexpr const char* same_bits[] = {"optimized"};

  struct Args {
    const char *op, *dtype;
    wb::i64 n;
    const void* x;  // n
    float* result;
    bool nan = false;  // whether that is the right result
    bool mean() const { return std::string_view(op) == "mean"; }
    double divisor() const { return mean() ? static_cast<double>(n) : 1; }  // of the sum
  };

  static Args bind(wb::Binder& io, const wb::Case& c) {
    Args p{c.word("op"), c.word("dtype"), c["elements"], nullptr, nullptr};
    p.nan = std::string_view(c.word("special")) == "nan" || (p.n == 0 && p.mean());
    const bool sums = std::string_view(p.op) == "sum" || p.mean();
    const wb::Fill fill =
        with_special(c, c.find("profile") ? profile(c, sums) : with_op(p.op, [&](auto op) {
                       return values(op, p.n, digits(p.dtype));
                     }));
    p.x = bind_x(io, c, fill);
    p.result = io.out<float>("result", 1);
    return p;
  }

  static wb::Cost cost(const Args& p) {
    const double n = static_cast<double>(p.n);
    return {.flops = n, .read = n * element_bytes(p.dtype), .write = sizeof(float)};
  }

  // A sum is exact, and the largest is one of the elements. For a mean n may be rounded, the
  // quotient and the reference are.
  static wb::Tolerance tolerance(const Args& p) {
    return {.rel = p.mean() ? 3 * 0x1p-24 : 0, .nan = p.nan};
  }

  static void reference(const Args& p) {
    with_op(p.op, [&](auto op) {
      *p.result = static_cast<float>(exact<decltype(op)>(p.dtype, p.n, p.x) / p.divisor());
    });
  }

 protected:
  static double element_bytes(const char* dtype) {
    return wb::with_dtype(dtype, [](auto zero) { return static_cast<double>(sizeof(zero)); });
  }
  static int digits(const char* dtype) {  // of the significand
    return wb::with_dtype(dtype,
                          [](auto zero) { return -std::ilogb(wb::kRounding<decltype(zero)>); });
  }

  // Where x starts late, the elements before its first one are numbers like the others.
  static const void* bind_x(wb::Binder& io, const wb::Case& c, const wb::Fill& fill) {
    const wb::i64 n = c["elements"], late = c.get("late", 0);
    return wb::with_dtype(c.word("dtype"), [&](auto zero) -> const void* {
      const auto* x = io.in<decltype(zero)>(
          "x", n + late, [=](wb::i64 i, std::uint64_t seed) { return fill(i - late, seed); });
      return x ? x + late : x;
    });
  }

  // Odd multiples of 2^-bits between -1 and 1. They deviate from 0 by 2^bits / sqrt(3) units, the
  // sum of n of them by sqrt(n) times as much; 2^24 units are to be 8 times that or more.
  static wb::Fill values(Plus, wb::i64 n, int digits) {
    const double most = 0x1p24 * std::sqrt(3.0) / (8 * std::sqrt(static_cast<double>(n) + 1));
    const int bits = std::clamp(static_cast<int>(std::log2(most)), 2, digits);
    const double half = std::ldexp(1, bits - 1);
    return [half](wb::i64 i, std::uint64_t seed) {
      return (std::floor(wb::uniform(seed, i) * half) + 0.5) / half;
    };
  }

  // The largest has its own random place, often an end. It is below 0, so that an accumulator that
  // begins with 0 shows. Another largest has another place, too.
  static wb::Fill values(Maximum, wb::i64 n, int) {
    return [n](wb::i64 i, std::uint64_t seed) {
      const double other = wb::uniform(seed, i) - 4, peak = wb::uniform(seed, kEnd);
      return i == place(n, peak) ? peak - 2 : other;
    };
  }
  static wb::Fill values(Minimum, wb::i64 n, int digits) {
    return [largest = values(Maximum{}, n, digits)](wb::i64 i, std::uint64_t seed) {
      return -largest(i, seed);
    };
  }

  // What is drawn once for the whole array, with numbers that no element has.
  static constexpr std::uint64_t kEnd = std::uint64_t{1} << 63, kSpecial = kEnd + 1;

  static wb::i64 place(wb::i64 n, double random) {  // for a number from -1 to 1
    if (random < -0.5) return 0;
    if (random >= 0.5) return n - 1;
    return std::min(n - 1, static_cast<wb::i64>((random + 0.5) * static_cast<double>(n)));
  }

  // All elements are one row.
  static wb::Fill profile(const wb::Case& c, bool sums) {
    const wb::i64 n = c["elements"];
    const bool exact = sums && c.word("profile") != std::string_view("rounding");
    return wb::with_dtype(c.word("dtype"), [&](auto zero) {
      using T = decltype(zero);
      return exact ? wb::profiled_sum<T>(c, {.row = n}, n, 0) : wb::profiled<T>(c, {.row = n}, 0);
    });
  }

  static wb::Fill with_special(const wb::Case& c, const wb::Fill& fill) {
    const std::string_view special = c.word("special");
    if (special.empty()) return fill;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const double value =
        special == "inf"         ? kInfinity
        : special == "minus_inf" ? -kInfinity
        : special == "nan"       ? std::numeric_limits<double>::quiet_NaN()
                           : throw std::invalid_argument("unknown special " + std::string(special));
    return [=, n = c["elements"]](wb::i64 i, std::uint64_t seed) {
      const wb::i64 at = place(n, wb::uniform(seed, kSpecial));
      const double other = fill(i, seed);  // last: what it draws is what the harness may change
      return i == at ? value : other;
    };
  }

  // In double, where a sum of these inputs is exact as well.
  template <class Op> static double exact(const char* dtype, wb::i64 n, const void* data) {
    return wb::with_dtype(dtype, [&](auto zero) {
      const auto* x = static_cast<const decltype(zero)*>(data);
      double result = Op::identity();
#pragma omp parallel if (n > 65536)
      {
        double own = Op::identity();
#pragma omp for schedule(static)
        for (wb::i64 i = 0; i < n; ++i) own = Op::combine(own, static_cast<double>(x[i]));
#pragma omp critical
        result = Op::combine(result, own);
      }
      return result;
    });
  }
};

// The exercise: the smallest and the largest. A conversion to 8 bits needs this range. It reads as
// many bytes as a sum.
struct Range : Sum {
  struct Args {
    const char* dtype;
    wb::i64 n;
    const void* x;
    float* result;  // 2: smallest, largest
    bool nan;
  };

  // The same for each op: numbers that are spread around 0, with both ends beyond them.
  static Args bind(wb::Binder& io, const wb::Case& c) {
    with_op(c.word("op"), [](auto) {});  // there is such an op
    const wb::i64 n = c["elements"];
    const wb::Fill usual = [n](wb::i64 i, std::uint64_t seed) {
      const double other = wb::uniform(seed, i), end = wb::uniform(seed, kEnd);
      const wb::i64 at = place(n, end);
      if (i == at) return end + 3;
      return i == n - 1 - at ? end - 3 : other;
    };
    const void* x =
        bind_x(io, c, with_special(c, c.find("profile") ? profile(c, /*sums=*/false) : usual));
    const bool nan = std::string_view(c.word("special")) == "nan";
    return {c.word("dtype"), n, x, io.out<float>("result", 2), nan};
  }

  static wb::Cost cost(const Args& p) {
    const double n = static_cast<double>(p.n);
    return {.flops = 2 * n, .read = n * element_bytes(p.dtype), .write = 2 * sizeof(float)};
  }
  static wb::Tolerance tolerance(const Args& p) { return {.nan = p.nan}; }
  static void reference(const Args& p) {
    p.result[0] = static_cast<float>(exact<Minimum>(p.dtype, p.n, p.x));
    p.result[1] = static_cast<float>(exact<Maximum>(p.dtype, p.n, p.x));
  }
};
