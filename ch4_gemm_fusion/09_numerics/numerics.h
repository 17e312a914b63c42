// C = A B^T from matrices of fp32, multiplied in this or that arithmetic: variants differ in the
// type of the operands, and in the type of the sums. How wrong is C, and how much time does that
// save?
//
// All numbers are positive, so a sum has no cancellation: it is as large as the sum of its |a b|,
// and a relative error is what theory bounds. (Of sums of either sign the same bounds hold relative
// to the sum of |a b|, which is some sqrt(k) times as large as they are.)
//
// Each variant is held to the bound of its arithmetic (WB_BOUND after it): the errors of its
// operands and of its additions. One tolerance for all would have to be that of sums in fp16, and
// with many terms that lets much pass. The problem's own tolerance, which the exercise is held to,
// is reached by a product in the class of fp32.
#pragma once

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "../shared/normal.h"
#include "wb/half.h"
#include "wb/variant.h"

constexpr double kUnit = 0x1p-24;   // half a unit in the last place of 1, in fp32
constexpr double kTf32 = 0x1p-10;   // tf32 has 11 bits; cut off it may lose a whole unit
constexpr double kSplit = 0x1p-15;  // bf16 twice: 2^-17 of each factor, and the 2^-16 of low x low

// The error that k additions can have, each off by u of its result (Higham's gamma). Where k u
// nears 1 that says nothing; but a sum of positive numbers grows without much loss until half a
// unit in its last place is a quarter of a typical term, and never shrinks.
inline double additions(double u, double k) {
  const double grown = 1 - 0.4 / std::max(k * u, 1.0);
  return k * u < 0.5 ? std::min(k * u / (1 - k * u), grown) : grown;
}

struct Numerics {
  static constexpr const char* case_names[] = {"{m} x {n} sums of {k} products, {values} values",
                                               "sums of {k} products, {values} values"};
  // values: full: with all bits that fp32 has; short: with 8, so that each type here holds them,
  // and nothing but sums can err. m, n: 4096, or fewer where k is larger than that.
  static constexpr wb::Case bench[] = {{{"k", 4096}, {"values", "full"}},
                                       {{"k", 4096}, {"values", "short"}},
                                       {{"k", 65536}, {"values", "full"}},
                                       {{"k", 65536}, {"values", "short"}}};
  static constexpr wb::Case bench_cpu[] = {
      {{"k", 4096}, {"values", "full"}, {"m", 64}, {"n", 64}},
      {{"k", 4096}, {"values", "short"}, {"m", 64}, {"n", 64}},
      {{"k", 65536}, {"values", "full"}, {"m", 64}, {"n", 64}}};
  static constexpr wb::Sweep sweeps[] = {{"k", 16, 1 << 16, wb::Show::error, 4}};
  static constexpr wb::Sweep sweeps_cpu[] = {{"k", 16, 1 << 16, wb::Show::error, 4}};
  static constexpr wb::Case test[] = {{{"m", 1}, {"n", 1}, {"k", 1}, {"values", "full"}},
                                      {{"m", 31}, {"n", 33}, {"k", 1}, {"values", "full"}},
                                      {{"m", 33}, {"n", 31}, {"k", 127}, {"values", "full"}},
                                      {{"m", 127}, {"n", 129}, {"k", 31}, {"values", "full"}},
                                      {{"m", 129}, {"n", 127}, {"k", 33}, {"values", "short"}},
                                      {{"m", 64}, {"n", 64}, {"k", 64}, {"values", "full"}},
                                      {{"m", 128}, {"n", 128}, {"k", 192}, {"values", "short"}},
                                      {{"m", 257}, {"n", 264}, {"k", 72}, {"values", "full"}},
                                      {{"m", 131}, {"n", 263}, {"k", 521}, {"values", "full"}},
                                      {{"m", 7}, {"n", 5}, {"k", 4099}, {"values", "full"}},
                                      {{"m", 3}, {"n", 17}, {"k", 16'384}, {"values", "short"}},
                                      {{"m", 1}, {"n", 130}, {"k", 40'009}, {"values", "full"}},
                                      {{"m", 5}, {"n", 7}, {"k", 0}, {"values", "full"}},
                                      {{"m", 0}, {"n", 33}, {"k", 5}, {"values", "full"}},
                                      {{"m", 33}, {"n", 0}, {"k", 5}, {"values", "short"}}};

  struct Args {
    wb::i64 m, n, k;
    const float *a, *b;  // m x k, n x k, row-major
    float* c;            // m x n
    bool exact;          // each type holds the operands as they are

    // The bound of a variant: `operands` is what rounding them costs a product, `sums` what the
    // additions do, and C and its reference are rounded to fp32.
    double bound(double operands, double sums) const {
      return (exact ? 0 : operands) * (1 + sums) + sums + 2 * kUnit;
    }
  };

  static Args bind(wb::Binder& io, const wb::Case& c) {
    const wb::i64 k = c["k"], side = std::min<wb::i64>(4096, (1 << 26) / std::max<wb::i64>(k, 1));
    const wb::i64 m = c.get("m", side), n = c.get("n", side);
    const std::string_view values = c.word("values", "full");
    if (values != "full" && values != "short")
      throw std::invalid_argument("unknown values " + std::string(values) + ": full or short");
    // At least 1/64, so that no product is too small for fp16; sums of 2^16 are below its end.
    const auto fill = [exact = values == "short"](std::uint64_t array) -> wb::Fill {
      return [exact, f = normal(array)](wb::i64 i, std::uint64_t seed) {
        const double x = 1.0 / 64 + std::abs(f(i, seed));
        return exact ? double{wb::bfloat16(x)} : x;
      };
    };
    return {m,
            n,
            k,
            io.in<float>("a", m * k, fill(1)),
            io.in<float>("b", n * k, fill(2)),
            io.out<float>("c", {{"row", m}, {"column", n}}),
            values == "short"};
  }

  static wb::Cost cost(const Args& p) {
    const double m = p.m, n = p.n, k = p.k;
    return {.flops = 2 * m * n * k,
            .read = 4 * (m * k + n * k),
            .write = 4 * m * n,
            .math = wb::Math::bf16_tensor};
  }

  static wb::Tolerance tolerance(const Args& p) {
    return {.rel = p.bound(kSplit, additions(2 * kUnit, 3.0 * p.k)), .sampled = sampled(p)};
  }

  static void reference(const Args& p, wb::Sampler& sampler) {
    const auto rows = sampler.some(p.m, sampled(p) ? 16 : p.m);
#pragma omp parallel for
    for (wb::i64 j = 0; j < p.n; ++j)
      for (const wb::i64 i : rows) {
        double sum = 0;
        for (wb::i64 l = 0; l < p.k; ++l) sum += double{p.a[i * p.k + l]} * p.b[j * p.k + l];
        p.c[i * p.n + j] = static_cast<float>(sum);
      }
  }
  static std::vector<wb::Product> products(const Args& p) {
    return {{.a = {p.a, p.m, p.k, p.k, 1},
             .b = {p.b, p.k, p.n, 1, p.k},  // B^T
             .c = {p.c, p.m, p.n, p.n, 1}}};
  }

 private:
  static bool sampled(const Args& p) { return 1.0 * p.m * p.n * p.k > 0x1p26; }
};
