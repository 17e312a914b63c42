// C[b] = A[b] * B[b] for `batch` small matrices, row-major fp32, one after the other in memory. 40
// products of 64 x 64 matrices are 21 MFLOP and 2 MB: half a microsecond of work for a GPU, so the
// number of launches decides, not how well it multiplies.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "wb/problem.h"

struct BatchedGemm {
  static constexpr const char* operation = "matmul";
  static constexpr const char* case_names[] = {"batch {batch} of {m} x {n} x {k}"};
  static constexpr wb::Case bench[] = {{{"m", 64}, {"n", 64}, {"k", 64}, {"batch", 40}},
                                       {{"m", 32}, {"n", 256}, {"k", 256}, {"batch", 40}},
                                       {{"m", 256}, {"n", 256}, {"k", 256}, {"batch", 40}}};
  static constexpr wb::Sweep sweeps[] = {{"batch", 1, 4096, wb::Show::flops, /*factor=*/4}};
  static constexpr wb::Case test[] = {{{"m", 1}, {"n", 1}, {"k", 1}, {"batch", 1}},
                                      {{"m", 31}, {"n", 33}, {"k", 17}, {"batch", 1}},
                                      {{"m", 33}, {"n", 31}, {"k", 127}, {"batch", 7}},
                                      {{"m", 129}, {"n", 127}, {"k", 31}, {"batch", 3}},
                                      {{"m", 7}, {"n", 257}, {"k", 1}, {"batch", 41}},
                                      {{"m", 64}, {"n", 64}, {"k", 64}, {"batch", 40}},
                                      {{"m", 256}, {"n", 256}, {"k", 256}, {"batch", 27}},
                                      {{"m", 5}, {"n", 6}, {"k", 7}, {"batch", 0}},
                                      {{"m", 0}, {"n", 6}, {"k", 7}, {"batch", 3}}};

  struct Args {
    wb::i64 m, n, k, batch;
    const float *a, *b;  // batch x m x k, batch x k x n
    float* c;            // batch x m x n
  };

  static Args bind(wb::Binder& io, const wb::Case& c) {
    const wb::i64 m = c["m"], n = c["n"], k = c["k"], batch = c["batch"];
    return {m,
            n,
            k,
            batch,
            io.in<float>("a", batch * m * k),
            io.in<float>("b", batch * k * n),
            io.out<float>("c", {{"product", batch}, {"row", m}, {"column", n}})};
  }

  static wb::Cost cost(const Args& p) {
    const double batch = p.batch, m = p.m, n = p.n, k = p.k;
    return {.flops = 2 * batch * m * n * k,
            .read = 4 * batch * (m * k + k * n),
            .write = 4 * batch * m * n};
  }

  // A sum of k products of values in [-1, 1): adding them one by one in fp32 errs by 0.14 * k *
  // 2^-24 (root mean square, random signs), so 2 * k * 2^-24 is 14 times that, and a fiftieth of
  // what inputs rounded to TF32 (10 bits instead of 23) would cost. Of millions of sums a few end
  // four times as far from 0 as most: there an addition errs by up to 2^-24 of the sum, and k of
  // them by 0.6 sqrt(k) * 2^-24 of it: hence rel, three times that.
  static wb::Tolerance tolerance(const Args& p) {
    const double k = static_cast<double>(p.k);
    return {.rel = 2 * std::sqrt(k) * 0x1p-24, .abs = 2 * k * 0x1p-24, .sampled = is_large(p)};
  }

  static void reference(const Args& p, wb::Sampler& sampler) {
    const wb::i64 rows = p.batch * p.m;
    std::vector<double> sum(p.n);
    for (const wb::i64 row : sampler.some(rows, is_large(p) ? rows / 7 : rows)) {
      const float* right = p.b + row / p.m * p.k * p.n;
      std::fill(sum.begin(), sum.end(), 0.0);
      for (wb::i64 l = 0; l < p.k; ++l) {
        const double left = p.a[row * p.k + l];
        for (wb::i64 j = 0; j < p.n; ++j) sum[j] += left * right[l * p.n + j];
      }
      for (wb::i64 j = 0; j < p.n; ++j) p.c[row * p.n + j] = static_cast<float>(sum[j]);
    }
  }
  static std::vector<wb::Product> products(const Args& p) {
    std::vector<wb::Product> all;
    for (wb::i64 i = 0; i < p.batch; ++i)
      all.push_back({.a = {p.a + i * p.m * p.k, p.m, p.k, p.k, 1},
                     .b = {p.b + i * p.k * p.n, p.k, p.n, p.n, 1},
                     .c = {p.c + i * p.m * p.n, p.m, p.n, p.n, 1}});
    return all;
  }

 private:
  // Of large products every seventh row, on the whole, is computed.
  static bool is_large(const Args& p) { return 1.0 * p.batch * p.m * p.n * p.k > 0x1p28; }
};
