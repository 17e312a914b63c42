// C = A B^T: A is m x k, B is n x k, C is m x n, all row-major; sums are fp32. All variants make
// the same tiles with the same kernel. The order differs (orders.h), and so do the strips that
// tiles share if they are made at about the same time. A case may say the height of a group of
// tiles.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "../shared/normal.h"
#include "wb/half.h"
#include "wb/problem.h"

constexpr wb::Case product(wb::i64 m, wb::i64 n, wb::i64 k, const char* dtype) {
  return {{"m", m}, {"n", n}, {"k", k}, {"dtype", dtype}};
}

struct L2Order {
  static constexpr const char* case_names[] = {"{m} x {n} x {k}, {dtype}, groups of {group}",
                                               "{m} x {n} x {k}, {dtype}"};
  // A wide C (a language model's last layer), a square one, a tall one, and one of few tiles.
  static constexpr wb::Case bench[] = {
      product(4096, 32768, 4096, "bf16"), product(8192, 8192, 8192, "bf16"),
      product(32768, 4096, 4096, "bf16"), product(2048, 2048, 2048, "bf16")};
  static constexpr wb::Case bench_cpu[] = {
      product(768, 8192, 1024, "fp32"), product(768, 16384, 1024, "fp32"),
      product(2304, 2304, 1024, "fp32"), product(16384, 768, 1024, "fp32"),
      product(384, 384, 384, "fp32")};
  static constexpr wb::Sweep sweeps[] = {{"group", 1, 32, wb::Show::flops}};
  // Ragged in every axis; multiples of 8 for TMA; one row and one column of tiles; more tiles than
  // a GPU has multiprocessors; the last group not full; the empty ones.
  static constexpr wb::Case test[] = {
      product(1, 1, 1, "fp32"),
      product(1, 8, 8, "bf16"),
      product(31, 33, 17, "fp32"),
      product(33, 31, 127, "bf16"),
      product(127, 129, 40, "fp32"),
      product(129, 136, 40, "bf16"),
      product(257, 264, 72, "fp16"),
      product(509, 521, 263, "fp32"),
      product(131, 2056, 136, "bf16"),
      product(1700, 248, 72, "fp16"),
      product(2561, 3080, 72, "bf16"),
      product(8, 36864, 16, "bf16"),
      product(600, 1032, 0, "fp32"),
      product(600, 1031, 0, "bf16"),
      product(509, 521, 262, "fp16"),
      product(0, 64, 64, "bf16"),
      product(64, 0, 64, "fp32"),
      {{"m", 1289}, {"n", 1544}, {"k", 64}, {"dtype", "bf16"}, {"group", 3}},
      {{"m", 1289}, {"n", 1547}, {"k", 65}, {"dtype", "fp32"}, {"group", 1}},
      {{"m", 500}, {"n", 6000}, {"k", 24}, {"dtype", "fp16"}, {"group", 1000}}};

  struct Args {
    wb::i64 m, n, k;
    const char* dtype;  // of all arrays
    wb::i64 group;      // tiles, or 0
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
              std::max<wb::i64>(c.get("group", 0), 0),
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

  // The error that a sum of k products may have: each fp32 addition errs by 2^-24 of it (tensor
  // cores cut off: 2^-23), and random errors add up to sqrt(k) of these, here with sums near 1.
  // C is rounded to its type, close to a tie in either direction.
  static wb::Tolerance tolerance(const Args& p) {
    const double k = static_cast<double>(p.k);
    return wb::with_dtype(p.dtype, [&](auto zero) -> wb::Tolerance {
      using T = decltype(zero);
      wb::Tolerance t{
          .rel = 2 * std::sqrt(k) * 0x1p-24, .abs = (k + 4) * 0x1p-23, .sampled = is_large(p)};
      if (sizeof(T) == 2) t.rel = 2 * wb::kRounding<T>, t.abs += 0x1p-24;
      return t;
    });
  }

  // Sums in double; of large products some rows. Of these, products() checks the rest.
  static void reference(const Args& p, wb::Sampler& sampler) {
    wb::with_dtype(p.dtype, [&](auto zero) {
      using T = decltype(zero);
      const T *a = static_cast<const T*>(p.a), *b = static_cast<const T*>(p.b);
      T* c = static_cast<T*>(p.c);
      const auto rows = sampler.some(p.m, is_large(p) ? 16 : p.m);
#pragma omp parallel for
      for (wb::i64 j = 0; j < p.n; ++j)
        for (const wb::i64 row : rows) {
          double sum = 0;
          for (wb::i64 l = 0; l < p.k; ++l) sum += double{a[row * p.k + l]} * b[j * p.k + l];
          c[row * p.n + j] = static_cast<T>(sum);
        }
    });
  }
  static std::vector<wb::Product> products(const Args& p) {
    return wb::with_dtype(p.dtype, [&](auto zero) -> std::vector<wb::Product> {
      using T = decltype(zero);
      return {{.a = {static_cast<const T*>(p.a), p.m, p.k, p.k, 1},
               .b = {static_cast<const T*>(p.b), p.k, p.n, 1, p.k},  // B^T
               .c = {static_cast<const T*>(p.c), p.m, p.n, p.n, 1}}};
    });
  }

 protected:
  static bool is_large(const Args& p) { return 1.0 * p.m * p.n * p.k > 0x1p26; }
};

// The exercises: C = relu(A B^T).
struct Rectified : L2Order {
  // Of large products some elements, spread over all of C: of each row, and of each column.
  static void reference(const Args& p, wb::Sampler& sampler) {
    wb::with_dtype(p.dtype, [&](auto zero) {
      using T = decltype(zero);
      const T *a = static_cast<const T*>(p.a), *b = static_cast<const T*>(p.b);
      const auto some = sampler.some(p.m * p.n, is_large(p) ? 1 << 15 : p.m * p.n);
#pragma omp parallel for
      for (std::size_t s = 0; s < some.size(); ++s) {
        const wb::i64 row = some[s] / p.n, column = some[s] % p.n;
        double sum = 0;
        for (wb::i64 l = 0; l < p.k; ++l) sum += double{a[row * p.k + l]} * b[column * p.k + l];
        static_cast<T*>(p.c)[some[s]] = static_cast<T>(std::max(sum, 0.0));
      }
    });
  }
  static std::vector<wb::Product> products(const Args&) { return {}; }  // it is none any more
};
