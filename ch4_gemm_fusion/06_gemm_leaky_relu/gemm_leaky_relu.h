// C = leaky_relu(A B^T), where leaky_relu(s) is s for s > 0 and s / 100 else. A is m x k, B n x k,
// C m x n, all row-major; sums are fp32. A product needs 2 m n k operations; a separate pass
// over C reads and writes it once more, whatever k is. So k decides what fusion is worth: the
// smaller it is, the larger is the share of C's way to memory and back.
#pragma once

#include <algorithm>
#include <cmath>

#include "../shared/normal.h"
#include "wb/half.h"
#include "wb/problem.h"

constexpr wb::Case product(wb::i64 m, wb::i64 n, wb::i64 k, const char* dtype) {
  return {{"m", m}, {"n", n}, {"k", k}, {"dtype", dtype}};
}

struct GemmLeakyRelu {
  static constexpr const char* case_names[] = {"{m} x {n} x {k}, {dtype}"};
  static constexpr wb::Case bench[] = {
      product(8192, 8192, 512, "bf16"), product(8192, 8192, 256, "bf16"),
      product(8192, 8192, 2048, "bf16"), product(4096, 4096, 4096, "fp16")};
  static constexpr wb::Case bench_cpu[] = {product(2048, 2048, 64, "fp32"),
                                           product(2048, 2048, 512, "fp32")};
  static constexpr wb::Sweep sweeps[] = {{"k", 256, 8192, wb::Show::gain}};
  static constexpr wb::Sweep sweeps_cpu[] = {{"k", 16, 1024}};
  // Ragged in every axis, multiples of 8 for TMA, more tiles than a GPU has multiprocessors, and
  // the empty ones.
  static constexpr wb::Case test[] = {
      product(1, 1, 1, "bf16"),        product(1, 33, 31, "fp32"),
      product(31, 127, 33, "bf16"),    product(33, 31, 127, "fp32"),
      product(127, 131, 129, "fp16"),  product(129, 136, 40, "bf16"),
      product(257, 264, 72, "fp16"),   product(64, 64, 64, "fp32"),
      product(128, 256, 64, "bf16"),   product(509, 521, 263, "fp32"),
      product(131, 248, 1096, "fp16"), product(1700, 2600, 16, "bf16"),
      product(1, 2048, 4160, "fp16"),  product(3000, 8, 520, "bf16"),
      product(2, 3, 4099, "fp32"),     product(600, 1032, 136, "bf16"),
      product(0, 7, 5, "fp32"),        product(5, 0, 7, "bf16"),
      product(509, 522, 262, "bf16"),  product(5, 9, 0, "fp16")};

  struct Args {
    wb::i64 m, n, k;
    const char* dtype;  // of all arrays
    const void *a, *b;
    void* c;
  };

  // Sums of k products stay near 1.
  static Args bind(wb::Binder& io, const wb::Case& c) {
    const wb::i64 m = c["m"], n = c["n"], k = c["k"];
    return wb::with_dtype(c.word("dtype"), [&](auto zero) -> Args {
      using T = decltype(zero);
      return {m,
              n,
              k,
              c.word("dtype"),
              io.in<T>("a", m * k, normal_or_profile<T>(c, k, 1)),
              io.in<T>("b", n * k, normal(2, 1 / std::sqrt(std::max<double>(k, 1)))),
              io.out<T>("c", {{"row", m}, {"column", n}})};
    });
  }

  static wb::Cost cost(const Args& p) {
    const double m = p.m, n = p.n, k = p.k;
    return wb::with_dtype(p.dtype, [&](auto zero) -> wb::Cost {
      const double size = sizeof(zero);
      return {.flops = 2 * m * n * k,
              .read = size * (m * k + n * k),
              .write = size * m * n,
              .math = wb::kMath<decltype(zero)>};
    });
  }

  // The error that a sum of k products may have, as in 04_linear_relu. A 16-bit C is rounded, close
  // to a tie in either direction. A second pass that scales rounds once more.
  static wb::Tolerance tolerance(const Args& p) {
    const double k = static_cast<double>(p.k);
    return wb::with_dtype(p.dtype, [&](auto zero) -> wb::Tolerance {
      using T = decltype(zero);
      wb::Tolerance t{
          .rel = 2 * std::sqrt(k) * 0x1p-24, .abs = (k + 4) * 0x1p-23, .sampled = sampled(p)};
      if (sizeof(T) == 2) t.rel = 3 * wb::kRounding<T>, t.abs += 0x1p-24;
      return t;
    });
  }

  static float leaky_relu(float sum) { return sum > 0 ? sum : sum * 0.01f; }

  // Of large products some elements, spread over all of C: of each row, and of each column.
  static void reference(const Args& p, wb::Sampler& sampler) {
    wb::with_dtype(p.dtype, [&](auto zero) {
      using T = decltype(zero);
      const T *a = static_cast<const T*>(p.a), *b = static_cast<const T*>(p.b);
      T* c = static_cast<T*>(p.c);
      const auto some = sampler.some(p.m * p.n, sampled(p) ? 1 << 15 : p.m * p.n);
#pragma omp parallel for
      for (std::size_t s = 0; s < some.size(); ++s) {
        const wb::i64 row = some[s] / p.n, column = some[s] % p.n;
        double sum = 0;
        for (wb::i64 l = 0; l < p.k; ++l) sum += double{a[row * p.k + l]} * b[column * p.k + l];
        c[some[s]] = static_cast<T>(sum > 0 ? sum : sum * 0.01);
      }
    });
  }

 private:
  static bool sampled(const Args& p) { return 1.0 * p.m * p.n * p.k > 0x1p26; }
};
