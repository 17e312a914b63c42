// Forward: out[row, column] = exp(x[row, column] - m) / s, with m the largest x of the row and s
// the sum of exp(x - m): what a layer of attention, or a classifier, makes of its scores. Backward:
// out = x * (dy - sum of x * dy), where x is what the forward pass gave and dy the gradient for it.
// Arithmetic is fp32 and what is stored has the type of x, as in PyTorch. Each element has to be
// read once and written once: 8 bytes in fp32 (backward 12), 4 in the 16-bit types (6), for half a
// dozen flops. So the bandwidth of copies decides, if a row is read once.
//
// Two lessons have this problem, each with cases of its own: 06_softmax and 07_softmax_long.
#pragma once

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "wb/half.h"
#include "wb/problem.h"
#include "wb/profiles.h"
#include "wb/variant.h"

constexpr wb::Case matrix(const char* op, const char* dtype, wb::i64 rows, wb::i64 columns) {
  return {{"op", op}, {"dtype", dtype}, {"rows", rows}, {"columns", columns}};
}
// Rows that begin `stride` elements apart, the first one `late` elements after an aligned address.
constexpr wb::Case view(const char* op, const char* dtype, wb::i64 rows, wb::i64 columns,
                        wb::i64 stride, wb::i64 late) {
  return {{"op", op},           {"dtype", dtype},   {"rows", rows},
          {"columns", columns}, {"stride", stride}, {"late", late}};
}
// x is unusual; SoftmaxRows::fill says how.
constexpr wb::Case special(const char* op, const char* dtype, const char* values, wb::i64 rows,
                           wb::i64 columns) {
  return {{"op", op}, {"dtype", dtype}, {"values", values}, {"rows", rows}, {"columns", columns}};
}

struct SoftmaxRows {
  struct Args {
    bool backward, read;
    const char* dtype;   // of x, dy and out
    const char* values;  // what x is like
    wb::i64 rows, columns;
    wb::i64 stride;  // elements from one row's begin to the next one's, in all arrays
    const void* x;   // backward: what the forward pass gave
    const void* dy;  // backward alone
    void* out;       // begins as late after an aligned address as x does
  };

  static Args bind(wb::Binder& io, const wb::Case& c) { return bind(io, c, true); }

 protected:
  // Without `writes` there is no out: an exercise has another result.
  static Args bind(wb::Binder& io, const wb::Case& c, bool writes) {
    const wb::i64 rows = c["rows"], columns = c["columns"], stride = c.get("stride", columns);
    const wb::i64 late = c.get("late", 0);
    const std::string_view op = c.word("op");
    if (op != "softmax" && op != "backward" && op != "softmax_read")
      throw std::invalid_argument("unknown op " + std::string(op));
    if (stride < columns) throw wb::Unsupported("rows that overlap: stride is below columns");
    // The arrays end with the last row, not with its stride. Between rows out stays as it is.
    const wb::i64 count = late + (rows ? (rows - 1) * stride + columns : 0);
    const bool drawn = c.find("profile");
    if (drawn && op == "backward") throw wb::Unsupported("x is what a forward pass gave");
    // Nearly equal numbers, so that a sum in fp32 rounds all of them up once it is above 2^15.
    if (drawn && columns > 1 << 15 && c.word("profile") == std::string_view("outlier"))
      throw wb::Unsupported(
          "a long sum of nearly equal numbers: its rounding is no matter of chance");
    return wb::with_dtype(c.word("dtype"), [&](auto zero) -> Args {
      using T = decltype(zero);
      const wb::Fill values =
          drawn ? wb::profiled<T>(c, {.row = stride, .reach = 1000, .late = late}, 0)
                : fill(op == "backward", c.word("values"), columns, stride, late);
      const T* x = io.in<T>("x", count, values);
      const T* dy = op == "backward" ? io.in<T>("dy", count) : nullptr;
      T* out = writes ? io.out<T>("out", count) : nullptr;
      return {op == "backward",
              op == "softmax_read",
              c.word("dtype"),
              drawn ? "wide" : c.word("values"),
              rows,
              columns,
              stride,
              x ? x + late : x,
              dy ? dy + late : dy,
              out ? out + late : out};
    });
  }

 public:
  static double element_bytes(const char* dtype) {
    return wb::with_dtype(dtype, [](auto zero) { return static_cast<double>(sizeof(zero)); });
  }

  // Forward: a comparison, a subtraction, the exponential as one, an addition, a product. Backward:
  // two products and two additions.
  static wb::Cost cost(const Args& p) {
    const double elements = static_cast<double>(p.rows) * static_cast<double>(p.columns);
    const double bytes = element_bytes(p.dtype) * elements;
    return {.flops = (p.backward ? 4 : 5) * elements,
            .read = (p.backward || p.read ? 2 : 1) * bytes,
            .write = bytes};
  }

  // Ahead of tolerance(), or clang++ 14 does not find it.
  static bool is(const char* values, std::string_view name) { return name == values; }
  // How far x may be below the largest one of its row and still matter: exp(-104) is 0 in fp32.
  template <class T> static double range(const char* values) {
    if (is(values, "wide")) return 104;
    if (is(values, "peaks")) return 36;
    return is(values, "offset") ? 2 + 4e4 * wb::kRounding<T> : 2;
  }
  static double biggest(const char* values, double columns) {  // x of the backward pass
    return is(values, "peaks") ? 0.25 : 2 / columns;
  }

  // In units of e = 2^-24, what fp32 loses at most per operation. n columns; x reaches over
  // `range`.
  //
  // Forward: x - m loses range e. The exponential is computed as 2^((x - m) log2(e)): the constant
  // and the product lose another 1.5 range e, the power 4 e (2 ulp), and all that twice where a
  // part of a row has a maximum of its own: the exponents of both add up to x - m, so this gives
  // 2.5 range e + 8 e for an element, as much for s, a mean of such, and a few e for the division
  // and products. A sum of n positive numbers of one size, one after the other, errs by e / 2 of
  // what is there at each step, up or down: a random walk of sqrt(n / 3) e / 2, and 2 sqrt(n) e is
  // seven times that. An element of a row of 8192 is a share of 1.2e-4 on average and 1.3e-5 is
  // allowed, so one lost element shows. In longer rows "peaks" shows what is lost, and in 16-bit
  // types, too. What is below 2^-126, the smallest normal number of fp32, may become 0.
  //
  // Backward: dy - sum and the product lose e each. The sum is of n numbers of either sign and size
  // biggest(p) at most, and stays below 1: it errs by 8 e, or with peaks, where it is about 1 all
  // the way, by sqrt(n) e more. This is multiplied by x.
  //
  // 16-bit types: close to a tie, such errors turn the rounding the other way: a unit in the last
  // place. fp16 has subnormal numbers, multiples of 2^-24.
  static wb::Tolerance tolerance(const Args& p) {
    const double n = static_cast<double>(p.columns), e = 0x1p-24;
    return wb::with_dtype(p.dtype, [&](auto zero) -> wb::Tolerance {
      using T = decltype(zero);
      wb::Tolerance t{.rel = e * 4, .abs = 0x1p-125, .nan = true};
      if (p.backward)
        t.abs += biggest(p.values, n) * e * (8 + (is(p.values, "peaks") ? std::sqrt(n) : 0));
      else
        t.rel = e * (24 + 5 * range<T>(p.values) + 2 * std::sqrt(n));
      if (sizeof(T) == 2) t.rel += 2 * wb::kRounding<T>;
      if (std::is_same_v<T, wb::half>) t.abs += 0x1p-24;
      return t;
    });
  }

  static void reference(const Args& p) { write(p, nullptr); }

 protected:
  // Of log(sum of exp(x)). What the sum is off by as a share of it, this is off by: in 16-bit types
  // half a unit of an element is enough.
  static wb::Tolerance tolerance_of_log(const SoftmaxRows::Args& p) {
    return wb::with_dtype(p.dtype, [&](auto zero) -> wb::Tolerance {
      using T = decltype(zero);
      const double e = 0x1p-24, n = static_cast<double>(p.columns);
      wb::Tolerance t{.rel = 4 * e, .nan = true};
      t.abs = e * (24 + 5 * range<T>(p.values) + 2 * std::sqrt(n));
      if (sizeof(T) == 2) t.abs += wb::kRounding<T>;
      return t;
    });
  }

  // What out holds, and where log_sums is not null also log(sum of exp(x)) of each row.
  static void write(const Args& p, float* log_sums) {
    wb::with_dtype(p.dtype, [&](auto zero) {
      using T = decltype(zero);
#pragma omp parallel for schedule(static) if (p.rows * p.columns > 4096)
      for (wb::i64 row = 0; row < p.rows; ++row) {
        const T* x = static_cast<const T*>(p.x) + row * p.stride;
        const T* dy = p.backward ? static_cast<const T*>(p.dy) + row * p.stride : nullptr;
        T* out = static_cast<T*>(p.out) + row * p.stride;
        if (p.backward)
          backward(x, dy, out, p.columns);
        else if (const double log_sum = forward(x, out, p.columns); log_sums)
          log_sums[row] = static_cast<float>(log_sum);
      }
    });
  }

  template <class T> static double forward(const T* x, T* out, wb::i64 columns) {
    double max = -std::numeric_limits<double>::infinity(), sum = 0;
    for (wb::i64 i = 0; i < columns; ++i) max = std::fmax(max, static_cast<double>(x[i]));
    std::vector<double> e(columns);
    for (wb::i64 i = 0; i < columns; ++i) sum += e[i] = std::exp(static_cast<double>(x[i]) - max);
    for (wb::i64 i = 0; i < columns; ++i) out[i] = static_cast<T>(e[i] / sum);
    return max + std::log(sum);
  }
  template <class T> static void backward(const T* x, const T* dy, T* out, wb::i64 columns) {
    double sum = 0;
    for (wb::i64 i = 0; i < columns; ++i) sum += static_cast<double>(x[i]) * dy[i];
    for (wb::i64 i = 0; i < columns; ++i)
      out[i] = static_cast<T>(static_cast<double>(x[i]) * (static_cast<double>(dy[i]) - sum));
  }

  //   (none)    from -1 to 1; backward: from 0 to 2 / columns, so that a row's sum is about 1
  //   peaks     a few elements of a row, at any places, are nearly all of its sum
  //   inf       of five rows, one is -inf everywhere and one has a single inf: both are NaN
  //             everywhere. One has a single NaN, which makes all of it NaN, too, even (in one row
  //             of ten) where the 32 Ki elements around it are -inf, so that a part of the row has
  //             nothing else. One has some -inf, where the result is 0: that is how attention masks
  //             scores
  //   offset    10000 more than usual, in odd rows 10000 less: exp(x) is far too large, or 0, and
  //             exp(x - m) is not; a maximum that starts from 0 stays there
  //   wide      from -100 to 100: most results are less than the smallest number of fp32
  //   denormal  less than the smallest normal number, so that all are equal
  static wb::Fill fill(bool backward, std::string_view values, wb::i64 columns, wb::i64 stride,
                       wb::i64 late) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const bool inf = values == "inf", peaks = values == "peaks";
    if (!values.empty() && !peaks &&
        (backward || (!inf && values != "offset" && values != "wide" && values != "denormal")))
      throw std::invalid_argument("unknown values " + std::string(values));
    const double scale = values == "wide" ? 100 : values == "denormal" ? 0x1p-130 : 1;
    const double offset = values == "offset" ? 1e4 : 0, n = static_cast<double>(columns);
    return [=](wb::i64 i, std::uint64_t seed) -> double {
      const double u = wb::uniform(seed, static_cast<std::uint64_t>(i));
      const double chance = wb::uniform(~seed, static_cast<std::uint64_t>(i)) / 2 + 0.5;
      if (peaks && chance * n < 4) return backward ? 0.25 : 34 + u;
      if (backward) return (1 + u) / n;
      if (inf && stride > 0) {
        const wb::i64 row = (i - late) / stride, column = (i - late) % stride;
        const auto place = wb::uniform(seed + 1, static_cast<std::uint64_t>(row)) / 2 + 0.5;
        const auto at = static_cast<wb::i64>(place * n);
        const bool the_one = column == at;
        if (row % 5 == 0) return -kInfinity;
        if (row % 5 == 1 && the_one) return kInfinity;
        if (row % 5 == 2 && the_one) return std::numeric_limits<double>::quiet_NaN();
        if (row % 10 == 7 && column >> 15 == at >> 15) return -kInfinity;
        if (row % 5 == 3 && chance < 0.4) return -kInfinity;
      }
      const bool odd = stride > 0 && (i - late) / stride % 2 == 1;
      return (odd ? -offset : offset) + scale * u;
    };
  }
};

// A case's arrays with their type.
template <class T> struct Rows {
  const T* x;
  const T* dy;  // backward alone
  T* out;
  wb::i64 rows, columns, stride;
};
template <class T> Rows<T> rows_of(const SoftmaxRows::Args& p) {
  return {static_cast<const T*>(p.x),
          static_cast<const T*>(p.dy),
          static_cast<T*>(p.out),
          p.rows,
          p.columns,
          p.stride};
}
