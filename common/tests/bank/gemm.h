// C = A B, in fp32 and row-major, of which the reference computes but a few rows: the bank's wrong
// products, for CPU (gemm.cpp) and GPU (gemm.cu) at once.
#pragma once

#include <cmath>
#include <vector>

#include "bank/bank.h"

struct Gemm {
  static constexpr wb::Case bench[] = {{{"m", 1}, {"n", 1}, {"k", 1}}};
  static constexpr wb::Case test[] = {{{"m", 64}, {"n", 48}, {"k", 33}},
                                      {{"m", 2}, {"n", 3}, {"k", 1}},
                                      {{"m", 31}, {"n", 33}, {"k", 129}}};
  struct Args {
    wb::i64 m, n, k;
    const float *a, *b;
    float* c;
    wb::i64 elements() const { return m * n; }
  };
  static Args bind(wb::Binder& io, const wb::Case& s) {
    const wb::i64 m = s["m"], n = s["n"], k = s["k"];
    return {m, n, k, io.in<float>("a", m * k), io.in<float>("b", k * n), io.out<float>("c", m * n)};
  }
  static wb::Cost cost(const Args& p) {
    return {.flops = 2.0 * p.m * p.n * p.k,
            .read = 4.0 * (p.m * p.k + p.k * p.n),
            .write = 4.0 * p.m * p.n};
  }
  static wb::Tolerance tolerance(const Args& p) {  // as in ch1_basics/08_batched_gemm
    const double k = static_cast<double>(p.k);
    return {.rel = 2 * std::sqrt(k) * 0x1p-24, .abs = 2 * k * 0x1p-24, .sampled = true};
  }
  static void reference(const Args& p, wb::Sampler& sampler) {
    for (const wb::i64 row : sampler.some(p.m, 4))
      for (wb::i64 j = 0; j < p.n; ++j) {
        double sum = 0;
        for (wb::i64 l = 0; l < p.k; ++l) sum += double{p.a[row * p.k + l]} * p.b[l * p.n + j];
        p.c[row * p.n + j] = static_cast<float>(sum);
      }
  }
  static std::vector<wb::Product> products(const Args& p) {
    return {{{p.a, p.m, p.k, p.k, 1}, {p.b, p.k, p.n, p.n, 1}, {p.c, p.m, p.n, p.n, 1}}};
  }
};

namespace {

using wb::i64;

// The sum of the first `terms` products for one element.
WB_ANYWHERE inline float dot(const Gemm::Args& p, i64 row, i64 column, i64 terms) {
  float sum = 0;
  for (i64 l = 0; l < terms; ++l) sum += p.a[row * p.k + l] * p.b[l * p.n + column];
  return sum;
}

WB_BANK_ELEMENT(Gemm, right_product, right) { p.c[i] = dot(p, i / p.n, i % p.n, p.k); }

// Right in the rows that a fixed sample would look at; elsewhere what it might be.
WB_BANK_ELEMENT(Gemm, every_seventh_row, wrong) {
  p.c[i] = dot(p, i / p.n, i % p.n, i / p.n % 7 == 3 ? p.k : p.k / 2);
}

WB_BANK_ELEMENT(Gemm, one_element_of_a_product, wrong) {
  p.c[i] = dot(p, i / p.n, i % p.n, p.k);
  if (i == p.m / 2 * p.n + p.n / 2) p.c[i] += 0.01f;
}

WB_BANK_ELEMENT(Gemm, rows_swapped, wrong) {
  const i64 row = i / p.n;
  p.c[i] = dot(p, row < 2 ? 1 - row : row, i % p.n, p.k);
}

WB_BANK_ELEMENT(Gemm, column_scaled, wrong) {
  p.c[i] = dot(p, i / p.n, i % p.n, p.k) * (i % p.n == p.n / 2 ? 1.01f : 1.0f);
}

WB_BANK_ELEMENT(Gemm, inputs_in_tf32, wrong) {
  float sum = 0;
  for (i64 l = 0; l < p.k; ++l)
    sum +=
        bank::round_off(p.a[i / p.n * p.k + l], 13) * bank::round_off(p.b[l * p.n + i % p.n], 13);
  p.c[i] = sum;
}

WB_BANK_ELEMENT(Gemm, sum_in_fp16, wrong) {
  float sum = 0;
  for (i64 l = 0; l < p.k; ++l)
    sum = bank::round_off(sum + p.a[i / p.n * p.k + l] * p.b[l * p.n + i % p.n], 13);
  p.c[i] = sum;
}

WB_BANK_ELEMENT(Gemm, last_term_dropped, wrong) { p.c[i] = dot(p, i / p.n, i % p.n, p.k - 1); }

WB_BANK_ELEMENT(Gemm, tile_transposed, wrong) {
  const i64 row = i / p.n, column = i % p.n, tile = p.m < 8 || p.n < 8 ? 2 : 8;
  const bool inside = row < tile && column < tile;
  p.c[i] = inside ? dot(p, column, row, p.k) : dot(p, row, column, p.k);
}

}  // namespace
