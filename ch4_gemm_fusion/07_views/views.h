// C[h] = A[h] B[h] for the heads of an attention layer, in fp32. The heads are next to each other:
// row r of head h of a matrix of `width` columns begins at element (r * heads + h) * width. So a
// head is a *view*. Its rows are heads * width elements apart (its *leading dimension*), and it
// begins `width` elements after the head before it (its *stride*). A product can read it in place.
//
// `layout` says how A (m x k) and B (k x n) are stored, "n" as they are, "t" transposed:
//   nt  scores, Q K^T:              A has m rows of k, B has n rows of k
//   nn  values, P V:                A has m rows of k, B has k rows of n
//   tn  gradient of weights, X^T Y: A has k rows of m, B has k rows of n
#pragma once

#include <cmath>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "wb/problem.h"

constexpr wb::Case heads_of(const char* layout, wb::i64 heads, wb::i64 m, wb::i64 n, wb::i64 k) {
  return {{"layout", layout}, {"heads", heads}, {"m", m}, {"n", n}, {"k", k}};
}

struct Views {
  static constexpr const char* case_names[] = {"{layout}, {heads} heads of {m} x {n} x {k}"};
  static constexpr wb::Case bench[] = {heads_of("nt", 16, 2048, 2048, 64),
                                       heads_of("nn", 16, 2048, 128, 2048),
                                       heads_of("tn", 16, 512, 512, 2048)};
  static constexpr wb::Case bench_cpu[] = {heads_of("nt", 8, 512, 512, 64),
                                           heads_of("nn", 8, 512, 64, 512),
                                           heads_of("tn", 8, 128, 128, 512)};
  static constexpr wb::Sweep sweeps[] = {{"k", 16, 1024}};
  static constexpr wb::Case test[] = {
      heads_of("nn", 1, 1, 1, 1),       heads_of("nt", 3, 31, 33, 17),
      heads_of("tn", 3, 33, 31, 127),   heads_of("nn", 2, 129, 127, 31),
      heads_of("nt", 2, 129, 257, 40),  heads_of("tn", 5, 128, 64, 129),
      heads_of("nn", 7, 64, 132, 8),    heads_of("nt", 4, 256, 128, 64),
      heads_of("tn", 2, 132, 260, 100), heads_of("nn", 16, 100, 36, 260),
      heads_of("nt", 3, 5, 6, 0),       heads_of("nn", 0, 5, 6, 7),
      heads_of("tn", 3, 0, 6, 7),       heads_of("nn", 3, 127, 131, 1031)};

  // Row r of head h begins at data + h * stride + r * leading.
  template <class T> struct View {
    T* data;
    wb::i64 rows, columns, leading, stride;
  };
  struct Args {
    wb::i64 heads, m, n, k;
    bool a_transposed, b_transposed;  // as stored
    View<const float> a, b;           // as stored: a has k rows of m where it is transposed
    View<float> c;
  };

  static Args bind(wb::Binder& io, const wb::Case& c) {
    const wb::i64 heads = c["heads"], m = c["m"], n = c["n"], k = c["k"];
    const std::string_view layout = c.word("layout");
    if (layout != "nn" && layout != "nt" && layout != "tn")
      throw std::invalid_argument("layout is '" + std::string(layout) + "': take nn, nt or tn");
    const bool a_transposed = layout[0] == 't', b_transposed = layout[1] == 't';
    const auto in = [&](const char* name, wb::i64 rows, wb::i64 columns) -> View<const float> {
      return {io.in<float>(name, rows * heads * columns), rows, columns, heads * columns, columns};
    };
    const auto a = a_transposed ? in("a", k, m) : in("a", m, k);
    const auto b = b_transposed ? in("b", n, k) : in("b", k, n);
    return {heads,
            m,
            n,
            k,
            a_transposed,
            b_transposed,
            a,
            b,
            {io.out<float>("c", {{"row", m}, {"head", heads}, {"column", n}}), m, n, heads * n, n}};
  }

  static wb::Cost cost(const Args& p) {
    const double heads = p.heads, m = p.m, n = p.n, k = p.k;
    return {.flops = 2 * heads * m * n * k,
            .read = 4 * heads * (m * k + k * n),
            .write = 4 * heads * m * n};
  }

  // As in ch1_basics/08_batched_gemm: a sum of k products of values in [-1, 1) errs by 0.14 k u
  // (root mean square, u = 2^-24); inputs rounded to TF32 would cost fifty times what is allowed.
  static wb::Tolerance tolerance(const Args& p) {
    const double k = static_cast<double>(p.k);
    return {.rel = 2 * std::sqrt(k) * 0x1p-24, .abs = 2 * k * 0x1p-24, .sampled = is_large(p)};
  }

  static void reference(const Args& p, wb::Sampler& sampler) {
    const wb::i64 rows = p.heads * p.m;
    std::vector<double> sum(p.n);
    for (const wb::i64 row : sampler.some(rows, is_large(p) ? 512 : rows)) {
      const wb::i64 i = row / p.heads, h = row % p.heads;
      const wb::Matrix a = matrix(p.a, p.a_transposed, h), b = matrix(p.b, p.b_transposed, h);
      const auto *x = static_cast<const float*>(a.data), *y = static_cast<const float*>(b.data);
      sum.assign(p.n, 0);
      for (wb::i64 l = 0; l < p.k; ++l) {
        const double left = x[i * a.row + l * a.column];
        for (wb::i64 j = 0; j < p.n; ++j) sum[j] += left * y[l * b.row + j * b.column];
      }
      for (wb::i64 j = 0; j < p.n; ++j) p.c.data[row * p.n + j] = static_cast<float>(sum[j]);
    }
  }
  static std::vector<wb::Product> products(const Args& p) {
    std::vector<wb::Product> all;
    for (wb::i64 h = 0; h < p.heads; ++h)
      all.push_back({.a = matrix(p.a, p.a_transposed, h),
                     .b = matrix(p.b, p.b_transposed, h),
                     .c = matrix(p.c, false, h)});
    return all;
  }

 private:
  static bool is_large(const Args& p) { return 1.0 * p.heads * p.m * p.n * p.k > 0x1p26; }
  template <class T> static wb::Matrix matrix(const View<T>& v, bool transposed, wb::i64 head) {
    const float* data = v.data + head * v.stride;
    if (transposed) return {data, v.columns, v.rows, 1, v.leading};
    return {data, v.rows, v.columns, v.leading, 1};
  }
};
