// C = A B in fp32: A is m x k, B is k x n, C is m x n, all row-major. A thread (on a CPU: the inner
// loop) makes a *tile* of C at a time, whose sums should stay in registers. The case says
// how many rows it has: `rows` x 8 values on a GPU, `rows` x 2 vectors on a CPU. Variants whose
// tile is fixed do not look at that.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "wb/variant.h"

constexpr wb::Case product(wb::i64 m, wb::i64 n, wb::i64 k, wb::i64 rows) {
  return {{"m", m}, {"n", n}, {"k", k}, {"rows", rows}};
}

struct RegisterPressure {
  static constexpr const char* case_names[] = {"{m} x {n} x {k}, {rows} rows per tile"};
  static constexpr wb::Case bench[] = {product(4096, 4096, 4096, 16), product(4096, 4096, 4096, 4),
                                       product(4096, 4096, 4096, 8), product(4096, 4096, 4096, 11),
                                       product(4096, 4096, 4096, 32)};
  static constexpr wb::Case bench_cpu[] = {
      product(1024, 1024, 1024, 8), product(1024, 1024, 1024, 6), product(1024, 1024, 1024, 14),
      product(1024, 1024, 1024, 24)};
  static constexpr wb::Sweep sweeps[] = {{"rows", 2, 32, wb::Show::flops, 1.415}};
  static constexpr wb::Sweep sweeps_cpu[] = {{"rows", 4, 32, wb::Show::flops, 1.19}};
  // Ragged in every axis, less than a tile, more than a slice of k; each tile that a GPU has; the
  // empty ones.
  static constexpr wb::Case test[] = {
      product(1, 1, 1, 1),       product(31, 33, 17, 2),     product(33, 31, 127, 3),
      product(127, 129, 131, 4), product(129, 127, 8, 6),    product(128, 128, 16, 8),
      product(256, 384, 40, 11), product(260, 252, 36, 16),  product(509, 521, 263, 14),
      product(1, 1031, 67, 23),  product(1031, 1, 67, 32),   product(2, 3, 4099, 7),
      product(512, 768, 513, 6), product(509, 521, 503, 24), product(673, 257, 385, 31),
      product(0, 7, 5, 8),       product(7, 0, 5, 14),       product(5, 7, 0, 16)};

  struct Args {
    wb::i64 m, n, k;
    int rows;  // 1 to 32
    const float *a, *b;
    float* c;
  };

  static Args bind(wb::Binder& io, const wb::Case& c) {
    const wb::i64 m = c["m"], n = c["n"], k = c["k"];
    return {m,
            n,
            k,
            static_cast<int>(std::clamp<wb::i64>(c["rows"], 1, 32)),
            io.in<float>("a", m * k),
            io.in<float>("b", k * n),
            io.out<float>("c", {{"row", m}, {"column", n}})};
  }

  static wb::Cost cost(const Args& p) {
    const double m = p.m, n = p.n, k = p.k;
    return {.flops = 2 * m * n * k, .read = 4 * (m * k + k * n), .write = 4 * m * n};
  }

  // As in 01_sgemm: k additions of products of values in [-1, 1) err by 0.14 * k * 2^-24 (root mean
  // square); 14 times that, and 2 sqrt(k) * 2^-24 of a sum that is far from 0.
  static wb::Tolerance tolerance(const Args& p) {
    const double k = static_cast<double>(p.k);
    return {.rel = 2 * std::sqrt(k) * 0x1p-24, .abs = 2 * k * 0x1p-24, .sampled = rows(p) < p.m};
  }

  // In double; of a large product some rows. The rest products() checks.
  static void reference(const Args& p, wb::Sampler& sampler) {
    std::vector<double> sum(p.n);
    for (const wb::i64 row : sampler.some(p.m, rows(p))) {
      std::fill(sum.begin(), sum.end(), 0.0);
      for (wb::i64 l = 0; l < p.k; ++l)
        for (wb::i64 j = 0; j < p.n; ++j)
          sum[j] += static_cast<double>(p.a[row * p.k + l]) * p.b[l * p.n + j];
      for (wb::i64 j = 0; j < p.n; ++j) p.c[row * p.n + j] = static_cast<float>(sum[j]);
    }
  }
  static std::vector<wb::Product> products(const Args& p) {
    return {
        {.a = {p.a, p.m, p.k, p.k, 1}, .b = {p.b, p.k, p.n, p.n, 1}, .c = {p.c, p.m, p.n, p.n, 1}}};
  }

 private:
  static wb::i64 rows(const Args& p) { return 1.0 * p.m * p.n * p.k > 0x1p30 ? 16 : p.m; }
};
