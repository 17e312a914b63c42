// Two checks that mislead, and the ones that don't. Each kernel here is right under one of them and
// wrong under another: only the check differs. For CPU and GPU at once.
#pragma once

#include "../numerics.h"
#include "bank/bank.h"

// Means of k products of either sign, which go to 0 as 1 / (4 sqrt(k)).
struct Derived {
  static constexpr wb::Case bench[] = {{{"n", 33}, {"k", 65'536}}};
  static constexpr wb::Case test[] = {{{"n", 17}, {"k", 40'009}}};
  struct Args {
    wb::i64 n, k;
    const float *a, *b;
    float* c;
    WB_ANYWHERE wb::i64 elements() const { return n; }
  };
  static Args bind(wb::Binder& io, const wb::Case& c) {
    const wb::i64 n = c["n"], k = c["k"];
    return {n, k, io.in<float>("a", n * k, normal(1, 0.25)),
            io.in<float>("b", k, normal(2, 1.0 / static_cast<double>(k))), io.out<float>("c", n)};
  }
  static wb::Cost cost(const Args& p) {
    return {.flops = 2.0 * p.n * p.k, .read = 4.0 * (p.n + 1) * p.k, .write = 4.0 * p.n};
  }
  // The error that the additions may have, of the sum of |a b|: that is 1 / (2 pi) or so, and
  // below 1 / 4.
  static wb::Tolerance tolerance(const Args& p) {
    return {.rel = kUnit, .abs = additions(kUnit, p.k + 1.0) / 4};
  }
  static void reference(const Args& p) {
    for (wb::i64 i = 0; i < p.n; ++i) {
      double sum = 0;
      for (wb::i64 l = 0; l < p.k; ++l) sum += double{p.a[i * p.k + l]} * p.b[l];
      p.c[i] = static_cast<float>(sum);
    }
  }
};
struct Loose : Derived {
  static wb::Tolerance tolerance(const Args&) { return {.abs = 1e-2}; }
};

// relu(s - bias) in bf16, where s is a sum near to the bias. The unfused kernels keep s in bf16
// between them; the fused one has it in fp32.
struct AgainstDouble {
  static constexpr wb::Case bench[] = {{{"n", 257}, {"k", 1024}}};
  static constexpr wb::Case test[] = {{{"n", 129}, {"k", 521}}};
  struct Args {
    wb::i64 n, k;
    const float *a, *b;
    float* c;  // values that bf16 holds
    float bias;
    WB_ANYWHERE wb::i64 elements() const { return n; }
  };
  static Args bind(wb::Binder& io, const wb::Case& c) {
    const wb::i64 n = c["n"], k = c["k"];
    const wb::Fill positive = [](wb::i64 i, std::uint64_t seed) {
      return 1 + wb::uniform(seed, i) / 2;
    };
    return {n,
            k,
            io.in<float>("a", n * k, positive),
            io.in<float>("b", k, positive),
            io.out<float>("c", n),
            static_cast<float>(k) - 64};
  }
  static wb::Cost cost(const Args& p) {
    return {.flops = 2.0 * p.n * p.k, .read = 4.0 * (p.n + 1) * p.k, .write = 4.0 * p.n};
  }
  // The last rounding, and what k additions in fp32 to some k may cost.
  static wb::Tolerance tolerance(const Args& p) {
    const double k = static_cast<double>(p.k);
    return {.rel = 2 * wb::kRounding<wb::bfloat16>, .abs = 2 * k * additions(kUnit, k + 1)};
  }
  static double exact(const Args& p, wb::i64 i) {
    double sum = 0;
    for (wb::i64 l = 0; l < p.k; ++l) sum += double{p.a[i * p.k + l]} * p.b[l];
    return sum;
  }
  static void reference(const Args& p) {
    for (wb::i64 i = 0; i < p.n; ++i) p.c[i] = wb::bfloat16(std::max(exact(p, i) - p.bias, 0.0));
  }
};
struct AgainstUnfused : AgainstDouble {
  static void reference(const Args& p) {
    for (wb::i64 i = 0; i < p.n; ++i)
      p.c[i] = wb::bfloat16(std::max(double{wb::bfloat16(exact(p, i))} - p.bias, 0.0));
  }
};

namespace {

template <class Args> WB_ANYWHERE float sum_of(const Args& p, wb::i64 i) {
  float sum = 0;
  for (wb::i64 l = 0; l < p.k; ++l) sum += p.a[i * p.k + l] * p.b[l];
  return sum;
}
WB_ANYWHERE inline float fused(const AgainstDouble::Args& p, wb::i64 i) {
  const float v = sum_of(p, i) - p.bias;
  return v > 0 ? bank::round_off(v, 16) : 0;
}
WB_ANYWHERE inline float unfused(const AgainstDouble::Args& p, wb::i64 i) {
  const float v = bank::round_off(sum_of(p, i), 16) - p.bias;
  return v > 0 ? bank::round_off(v, 16) : 0;
}

WB_BANK_ELEMENT(Loose, right_dot, right) { p.c[i] = sum_of(p, i); }
WB_BANK_ELEMENT(Derived, right_dot_derived, right) { p.c[i] = sum_of(p, i); }
WB_BANK_ELEMENT(Loose, zeros_under_1e_2, misled) { p.c[i] = 0; }
WB_BANK_ELEMENT(Derived, zeros, wrong) { p.c[i] = 0; }
WB_BANK_ELEMENT(AgainstDouble, right_fused, right) { p.c[i] = fused(p, i); }
WB_BANK_ELEMENT(AgainstDouble, unfused_in_bf16, wrong) { p.c[i] = unfused(p, i); }
WB_BANK_ELEMENT(AgainstUnfused, fused_against_unfused, wrong) { p.c[i] = fused(p, i); }

}  // namespace
