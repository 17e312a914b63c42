// C = A * B in fp32: A is m x k, B is k x n, C is m x n, all row-major. A product has 2 m n k
// operations on 4 (mk + kn + mn) bytes. At 4096 in all three that is 683 operations per byte, so
// arithmetic decides, if each byte that comes from memory is used often enough.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "wb/problem.h"

struct Sgemm {
  static constexpr const char* operation = "matmul";
  static constexpr const char* case_names[] = {"{m} x {n} x {k}"};
  static constexpr wb::Case bench[] = {{{"size", "large"}, {"m", 4096}, {"n", 4096}, {"k", 4096}},
                                       {{"size", "medium"}, {"m", 2048}, {"n", 2048}, {"k", 2048}},
                                       {{"size", "small"}, {"m", 1024}, {"n", 1024}, {"k", 1024}},
                                       {{"size", "ragged"}, {"m", 4097}, {"n", 4095}, {"k", 4099}},
                                       {{"size", "deep"}, {"m", 256}, {"n", 256}, {"k", 32768}}};
  // The first case is small and ragged so that a first look takes seconds. At 1024 the rows of a
  // column lie 4 KiB apart, and the baseline takes several times as long for each product.
  static constexpr wb::Case bench_cpu[] = {
      {{"size", "ragged"}, {"m", 761}, {"n", 769}, {"k", 757}},
      {{"size", "medium"}, {"m", 1024}, {"n", 1024}, {"k", 1024}},
      {{"size", "large"}, {"m", 2048}, {"n", 2048}, {"k", 2048}},
      {{"size", "small"}, {"m", 384}, {"n", 384}, {"k", 384}}};
  static constexpr wb::Sweep sweeps[] = {{"k", 64, 8192, wb::Show::flops}};
  static constexpr wb::Sweep sweeps_cpu[] = {{"k", 16, 2048, wb::Show::flops}};
  static constexpr wb::Case test[] = {
      {{"m", 1}, {"n", 1}, {"k", 1}},       {{"m", 31}, {"n", 33}, {"k", 17}},
      {{"m", 33}, {"n", 31}, {"k", 127}},   {{"m", 127}, {"n", 129}, {"k", 131}},
      {{"m", 129}, {"n", 127}, {"k", 8}},   {{"m", 128}, {"n", 128}, {"k", 16}},
      {{"m", 256}, {"n", 384}, {"k", 40}},  {{"m", 260}, {"n", 252}, {"k", 36}},
      {{"m", 1}, {"n", 1031}, {"k", 67}},   {{"m", 1031}, {"n", 1}, {"k", 67}},
      {{"m", 2}, {"n", 3}, {"k", 4099}},    {{"m", 512}, {"n", 768}, {"k", 513}},
      {{"m", 509}, {"n", 521}, {"k", 503}}, {{"m", 5}, {"n", 7}, {"k", 0}},
      {{"m", 0}, {"n", 7}, {"k", 5}},       {{"m", 7}, {"n", 0}, {"k", 5}}};

  struct Args {
    wb::i64 m, n, k;
    const float *a, *b;
    float* c;
  };

  static Args bind(wb::Binder& io, const wb::Case& c) {
    const wb::i64 m = c["m"], n = c["n"], k = c["k"];
    return {m,
            n,
            k,
            io.in<float>("a", m * k),
            io.in<float>("b", k * n),
            io.out<float>("c", {{"row", m}, {"column", n}})};
  }

  static wb::Cost cost(const Args& p) {
    const double m = p.m, n = p.n, k = p.k;
    return {.flops = 2 * m * n * k, .read = 4 * (m * k + k * n), .write = 4 * m * n};
  }

  // A sum of k products of values in [-1, 1): adding them one by one in fp32 errs by 0.14 * k *
  // 2^-24 (root mean square, random signs), so 2 * k * 2^-24 is 14 times that, and a fiftieth of
  // what inputs rounded to TF32 (10 bits instead of 23) would cost at k = 4096. Of millions of sums
  // a few end four times as far from 0 as most: there an addition errs by up to 2^-24 of the sum,
  // and k of them by 0.6 sqrt(k) * 2^-24 of it: hence rel, three times that.
  static wb::Tolerance tolerance(const Args& p) {
    const double k = static_cast<double>(p.k);
    return {.rel = 2 * std::sqrt(k) * 0x1p-24, .abs = 2 * k * 0x1p-24, .sampled = rows(p) < p.m};
  }

  static void reference(const Args& p, wb::Sampler& sampler) {
    std::vector<double> sum(p.n);
    for (const wb::i64 row : sampler.some(p.m, rows(p))) {
      std::fill(sum.begin(), sum.end(), 0.0);
      for (wb::i64 l = 0; l < p.k; ++l) {
        const double left = p.a[row * p.k + l];
        for (wb::i64 j = 0; j < p.n; ++j) sum[j] += left * p.b[l * p.n + j];
      }
      for (wb::i64 j = 0; j < p.n; ++j) p.c[row * p.n + j] = static_cast<float>(sum[j]);
    }
  }
  static std::vector<wb::Product> products(const Args& p) {
    return {
        {.a = {p.a, p.m, p.k, p.k, 1}, .b = {p.b, p.k, p.n, p.n, 1}, .c = {p.c, p.m, p.n, p.n, 1}}};
  }

 private:
  // How many rows of a large product are computed.
  static wb::i64 rows(const Args& p) {
    return p.m / (static_cast<wb::i64>(1.0 * p.m * p.n * p.k * 0x1p-30) + 1);
  }
};
