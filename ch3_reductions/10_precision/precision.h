// What rounding does to a long sum. y[i] is the sum of row i of x, in one of several types and
// orders: variants differ in their accumulators alone. There is one addition for 4 bytes (or 2), so
// the bandwidth of reads decides, and a better accumulator is free while it takes no longer.
//
// Inputs are in [0, scale). Nothing cancels, so |x| adds up to the sum itself, and theory bounds
// the relative error: (n - 1) u in order, ceil(log2 n) u pairwise, 2 u compensated, where u is half
// a unit in the last place of 1. The scale shrinks with n, so that fp16 holds the sums. Short sums
// come 64 at a time, because the worst error of many counts, not that of a lucky one.
//
// Each variant is held to the bound of its own accumulator (WB_BOUND in its file). One tolerance
// for all would have to be that of fp16, for which even 0 would be a right answer. The tolerance
// here is the one that a good sum in fp32 meets, and the exercise must meet it: up to n = 2^22 a
// lost element shows. y is fp64, so that its own rounding hides no error.
#pragma once

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>

#include "wb/half.h"
#include "wb/profiles.h"
#include "wb/variant.h"

constexpr double kUnit = 0x1p-24;  // u of fp32

// What k additions can cost, each off by u of its result. Where k u nears 1 that says nothing; but
// a sum of k numbers below 1 grows without much loss to 1 / (4 u), where half a unit in its last
// place is 1/8, and never shrinks. (It stops at 1 / u at the latest: half a unit is 1 there.)
inline double chain_bound(double u, double k) {
  const double grown = 1 - 0.9 / (2.2 * std::max(k * u, 1.0));
  return k * u < 0.5 ? std::min(k * u / (1 - k * u), grown) : grown;
}

struct Precision {
  static constexpr wb::i64 kMi = 1 << 20;
  static constexpr const char* case_names[] = {"{elements} elements per sum, {dtype}"};
  static constexpr wb::Case bench[] = {
      {{"dtype", "fp32"}, {"elements", 64 * kMi}},
      {{"dtype", "fp16"}, {"elements", 64 * kMi}},
      {{"dtype", "bf16"}, {"elements", 64 * kMi}},
      {{"dtype", "fp32"}, {"elements", 64 * kMi}, {"values", "tail"}},
      {{"dtype", "fp32"}, {"elements", kMi}}};
  static constexpr wb::Case bench_cpu[] = {
      {{"dtype", "fp32"}, {"elements", 16 * kMi}},
      {{"dtype", "bf16"}, {"elements", 16 * kMi}},
      {{"dtype", "fp32"}, {"elements", 16 * kMi}, {"values", "tail"}},
      {{"dtype", "fp32"}, {"elements", kMi}}};
  static constexpr wb::Sweep sweeps[] = {{"elements", 1 << 8, 1 << 28, wb::Show::error, 4}};
  static constexpr wb::Sweep sweeps_cpu[] = {{"elements", 1 << 8, 1 << 26, wb::Show::error, 4}};
  // sums: how many rows. late: x starts that many elements late. values: "tail": one element of 16
  // is almost `scale`, and the others are so small that an fp32 sum of a few of those does not feel
  // them; "inf": one element is infinite.
  static constexpr wb::Case test[] = {
      {{"dtype", "fp32"}, {"elements", 0}, {"sums", 3}},
      {{"dtype", "fp32"}, {"elements", 5}, {"sums", 0}},
      {{"dtype", "fp32"}, {"elements", 1}},
      {{"dtype", "fp16"}, {"elements", 1}, {"sums", 1}, {"late", 1}},
      {{"dtype", "fp32"}, {"elements", 31}},
      {{"dtype", "bf16"}, {"elements", 33}, {"sums", 5}, {"late", 3}},
      {{"dtype", "fp32"}, {"elements", 127}, {"late", 3}},
      {{"dtype", "fp32"}, {"elements", 129}},
      {{"dtype", "fp16"}, {"elements", 1009}, {"late", 7}},
      {{"dtype", "fp32"}, {"elements", 1009}},
      {{"dtype", "fp32"}, {"elements", 4096}},
      {{"dtype", "bf16"}, {"elements", 8191}, {"sums", 3}},
      {{"dtype", "fp32"}, {"elements", 8193}, {"sums", 3}, {"late", 1}},
      {{"dtype", "fp16"}, {"elements", 16'384}, {"sums", 2}},
      {{"dtype", "fp32"}, {"elements", 65'537}, {"sums", 7}, {"late", 2}},
      {{"dtype", "fp32"}, {"elements", 1'000'003}, {"sums", 2}},
      {{"dtype", "bf16"}, {"elements", 1'000'003}, {"sums", 1}, {"late", 1}},
      {{"dtype", "fp16"}, {"elements", 2'000'003}, {"sums", 1}},
      {{"dtype", "fp32"}, {"elements", 4'200'001}, {"sums", 1}, {"late", 3}},
      {{"dtype", "fp32"}, {"elements", 4099}, {"values", "tail"}},
      {{"dtype", "fp32"}, {"elements", 1'500'001}, {"sums", 3}, {"values", "tail"}},
      {{"dtype", "bf16"}, {"elements", 3'000'017}, {"sums", 1}, {"values", "tail"}},
      {{"dtype", "fp32"}, {"elements", 1009}, {"values", "inf"}},
      {{"dtype", "bf16"}, {"elements", 100'003}, {"sums", 2}, {"values", "inf"}}};

  // Rows are cut into pieces by their length alone.
  static constexpr const char* same_bits[] = {"optimized"};

  struct Args {
    const char* dtype;
    wb::i64 sums, n;
    const void* x;  // sums rows of n, without gaps
    double* y;      // sums
    bool tail;      // most elements are tiny
    bool is(const char* type) const { return std::string_view(dtype) == type; }
  };

  static Args bind(wb::Binder& io, const wb::Case& c) {
    const wb::i64 n = c["elements"], late = c.get("late", 0);
    const wb::i64 sums =
        c.get("sums", std::clamp<wb::i64>(16 * kMi / std::max<wb::i64>(n, 1), 1, 64));
    // Below 2^15 in the middle, and 2^16 at most.
    const double scale = std::ldexp(1, -std::max(0, std::ilogb(static_cast<double>(n) + 1) - 15));
    const std::string_view values = c.word("values");
    if (!values.empty() && values != "tail" && values != "inf")
      throw std::invalid_argument("unknown values " + std::string(values) + ": tail or inf");
    const bool tail = values == "tail";
    const wb::i64 infinite = values == "inf" ? late + n / 3 : -1;  // in the first row
    const wb::Fill fill = [=](wb::i64 i, std::uint64_t seed) {
      const double u = (wb::uniform(seed, i) + 1) / 2;
      if (i == infinite) return HUGE_VAL;
      return scale * (tail && u < 15.0 / 16 ? std::floor(16 * u) * 0x1p-28 : u);
    };
    return wb::with_dtype(c.word("dtype"), [&](auto zero) -> Args {
      using T = decltype(zero);
      const bool drawn = c.word("profile") == std::string_view("rounding");  // it takes no other
      const T* x = io.in<T>("x", late + sums * n, drawn ? wb::profiled<T>(c, {}, 0) : fill);
      return {c.word("dtype"), sums, n, x ? x + late : x, io.out<double>("y", sums), tail};
    });
  }

  static wb::Cost cost(const Args& p) {
    const double sums = static_cast<double>(p.sums), all = sums * static_cast<double>(p.n);
    const double bytes =
        wb::with_dtype(p.dtype, [](auto zero) { return static_cast<double>(sizeof(zero)); });
    return {.flops = all, .read = bytes * all, .write = sizeof(double) * sums};
  }

  static wb::Tolerance tolerance(const Args&) { return {.rel = 2 * kUnit}; }

  // Elements are multiples of scale * 2^-24 (fp16: or of 2^-24), in a tail of scale * 2^-28, and
  // below scale: in fp64 the sum of 2^28 of them is exact, in any order.
  static void reference(const Args& p) {
    wb::with_dtype(p.dtype, [&](auto zero) {
      const auto* x = static_cast<const decltype(zero)*>(p.x);
      for (wb::i64 i = 0; i < p.sums; ++i) {
        double sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static) if (p.n > 65536)
        for (wb::i64 j = 0; j < p.n; ++j) sum += static_cast<double>(x[i * p.n + j]);
        p.y[i] = sum;
      }
    });
  }
};
