// A filter in four passes: y = P(P(P(P(x)))) for n floats, P a polynomial.
//
// The least memory traffic is 8 bytes per element, whatever the degree of P is; the arithmetic is 8
// FLOPs times the degree. So the degree is the arithmetic intensity in FLOP/B, and raising it moves
// the problem along the roofline: from the slope, where memory decides, over the ridge to the flat
// part, where arithmetic does.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "wb/problem.h"
#include "wb/variant.h"

constexpr int kPasses = 4;
constexpr int kMaxDegree = 1024;

// c[0] = 1/8 and c[i] = +-1 / (2 i^2). The magnitudes add up to less than 1, so P maps [-1, 1] into
// itself, and no coefficient is so small that x^i * c[i] stops mattering near |x| = 1.
using Coefficients = std::array<float, kMaxDegree + 1>;
constexpr Coefficients make_coefficients() {
  Coefficients c{};
  c[0] = 0.125f;
  for (int i = 1; i <= kMaxDegree; ++i) {
    const float square = static_cast<float>(i) * static_cast<float>(i);
    c[i] = (i % 4 < 2 ? 0.5f : -0.5f) / square;
  }
  return c;
}

struct ArithmeticIntensity {
  // Left of an H200's ridge, which is near 15 FLOP/B, right of it, and far right of it.
  static constexpr wb::Case bench[] = {{{"elements", 1 << 26}, {"degree", 4}},
                                       {{"elements", 1 << 26}, {"degree", 64}},
                                       {{"elements", 1 << 26}, {"degree", 512}}};
  // A core has more bandwidth for its arithmetic, so its ridge is further left: at 3 to 15 FLOP/B.
  static constexpr wb::Case bench_cpu[] = {{{"elements", 1 << 23}, {"degree", 1}},
                                           {{"elements", 1 << 20}, {"degree", 32}},
                                           {{"elements", 1 << 16}, {"degree", 512}}};
  static constexpr wb::Sweep sweeps[] = {{"degree", 1, kMaxDegree, wb::Show::flops}};
  static constexpr wb::Sweep sweeps_cpu[] = {{"degree", 1, 64, wb::Show::flops}};
  static constexpr wb::Case test[] = {
      {{"elements", 0}, {"degree", 4}},       {{"elements", 1}, {"degree", 1}},
      {{"elements", 31}, {"degree", 2}},      {{"elements", 33}, {"degree", 3}},
      {{"elements", 127}, {"degree", 7}},     {{"elements", 129}, {"degree", 0}},
      {{"elements", 1031}, {"degree", 8}},    {{"elements", 4096}, {"degree", 9}},
      {{"elements", 10'007}, {"degree", 17}}, {{"elements", 16'386}, {"degree", 4}},
      {{"elements", 40'001}, {"degree", 33}}, {{"elements", 5003}, {"degree", 129}},
      {{"elements", 2050}, {"degree", 1024}}};

  struct Args {
    wb::i64 n;
    int degree;
    const float* x;  // n, in [-1, 1)
    float* y;        // n
  };

  static Args bind(wb::Binder& io, const wb::Case& c) {
    const wb::i64 n = c["elements"], degree = c["degree"];
    if (degree > kMaxDegree) throw wb::Unsupported("the degree goes up to 1024");
    return {n, static_cast<int>(degree), io.in<float>("x", n), io.out<float>("y", n)};
  }

  static wb::Cost cost(const Args& p) {
    const double n = p.n;
    return {.flops = 2.0 * p.degree * kPasses * n, .read = 4 * n, .write = 4 * n};
  }

  // Horner's scheme in fp32 errs by at most u * sum of (2i + 1) |c[i]| <= u * (2L + 1), where u is
  // 2^-24 and L = sum of i |c[i]| bounds the slope of P on [-1, 1]. Each later pass multiplies what
  // came in by at most L and adds another error. The reference rounds once more.
  static wb::Tolerance tolerance(const Args& p) {
    constexpr Coefficients c = make_coefficients();
    double slope = 0;
    for (int i = 1; i <= p.degree; ++i) slope += i * std::abs(static_cast<double>(c[i]));
    double error = 0;
    for (int pass = 0; pass < kPasses; ++pass) error = error * slope + 2 * slope + 1;
    return {.abs = (error + 1) * 0x1p-24, .sampled = checked(p) < p.n};
  }

  static void reference(const Args& p, wb::Sampler& sampler) {
    constexpr Coefficients c = make_coefficients();
    for (const wb::i64 i : sampler.some(p.n, checked(p))) {
      double value = p.x[i];
      for (int pass = 0; pass < kPasses; ++pass) {
        const double x = value;
        value = c[p.degree];
        for (int j = p.degree - 1; j >= 0; --j) value = value * x + c[j];
      }
      p.y[i] = static_cast<float>(value);
    }
  }

 private:
  // Where the reference would take minutes, it computes that many elements.
  static wb::i64 checked(const Args& p) {
    return p.n / (p.n * std::max(p.degree, 1) / (wb::i64{1} << 26) + 1);
  }
};
