// The backward pass of h = relu(z), z = x W1^T + b, between two layers of a network. A batch of m
// rows has n hidden units. From above comes dy (m x k), the gradient of what the next layer made of
// h with its weights W (k x n, as PyTorch keeps them). So dh = dy W, and
//   dz = dh where h > 0, 0 elsewhere (m x n);  db = the sums of dz's columns (n).
// dz is stored, because dW1 = dz^T x and dx = dz W1 come next. The forward pass kept two things
// that tell where h > 0: h itself, and a bit per number, as cuBLASLt writes it
// (CUBLASLT_EPILOGUE_RELU_AUX_BIAS). Bit `column` of a row of words is set where h > 0. Rows begin
// at multiples of 128 bits. A version reads the form that it needs.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "../shared/normal.h"
#include "wb/half.h"
#include "wb/problem.h"

constexpr wb::Case backward(wb::i64 batch, wb::i64 above, wb::i64 hidden, const char* dtype) {
  return {{"m", batch}, {"n", hidden}, {"k", above}, {"dtype", dtype}};
}

struct LinearReluBackward {
  static constexpr const char* case_names[] = {"batch {m}, {n} from {k}, {dtype}"};
  static constexpr wb::Case bench[] = {
      backward(8192, 1024, 4096, "bf16"), backward(8192, 4096, 4096, "bf16"),
      backward(1024, 784, 2048, "bf16"),  backward(2048, 64, 4096, "bf16"),
      backward(8192, 256, 8192, "bf16"),  backward(8192, 1024, 4096, "fp32")};
  static constexpr wb::Case bench_cpu[] = {backward(1024, 784, 2048, "fp32"),
                                           backward(2048, 64, 4096, "fp32")};
  // Ragged in every axis, multiples of 8 for TMA, widths around the mask's 128 bits, more tiles
  // than a GPU has multiprocessors, and the empty ones.
  static constexpr wb::Case test[] = {
      backward(1, 1, 1, "bf16"),        backward(1, 31, 33, "fp32"),
      backward(31, 33, 127, "bf16"),    backward(33, 127, 31, "fp32"),
      backward(127, 129, 131, "fp16"),  backward(129, 40, 136, "bf16"),
      backward(257, 72, 264, "fp16"),   backward(64, 64, 64, "fp32"),
      backward(128, 64, 256, "bf16"),   backward(509, 263, 521, "bf16"),
      backward(509, 263, 521, "fp32"),  backward(131, 1096, 248, "fp16"),
      backward(1700, 16, 2600, "bf16"), backward(1, 4160, 2048, "fp16"),
      backward(3000, 520, 8, "bf16"),   backward(2, 4099, 3, "fp32"),
      backward(333, 8, 384, "fp16"),    backward(63, 128, 512, "bf16"),
      backward(0, 5, 7, "fp32"),        backward(5, 7, 0, "bf16"),
      backward(5, 0, 7, "fp32"),        backward(300, 262, 522, "bf16")};

  struct Args {
    wb::i64 m, n, k;
    const char* dtype;  // of all arrays but `bits`
    const void *dy, *w, *h;
    const std::uint32_t* bits;
    void *dz, *db;
  };

  static constexpr wb::i64 row_words(wb::i64 n) { return (n + 127) / 128 * 4; }  // of `bits`

  // Ahead of bind(), or clang++ 14 does not find it.
  static bool sampled(wb::i64 m, wb::i64 n, wb::i64 k) { return 1.0 * m * n * k > 0x1p26; }

  template <class T> static wb::Tolerance tolerance_of(wb::i64 m, wb::i64 n, double k) {
    wb::Tolerance t{.rel = 2 * std::sqrt(k) * 0x1p-24,
                    .abs = (k + 4) * 0x1p-23,
                    .sampled = sampled(m, n, static_cast<wb::i64>(k))};
    if (sizeof(T) == 2) t.rel = 3 * wb::kRounding<T>, t.abs += 0x1p-24;
    return t;
  }
  // m numbers near 1, half of them 0, are added up. Their errors differ in sign from row to row,
  // so the error of the sum grows as sqrt(m): the error of a product, what the sum loses on its
  // way, and in 16 bits half a unit in the last place of each, where stored numbers are summed.
  // Eight deviations.
  template <class T> static wb::Tolerance tolerance_of_sums(wb::i64 m, wb::i64 n, double k) {
    wb::Tolerance t = tolerance_of<T>(m, n, k);
    const double rows = static_cast<double>(m);
    t.abs = std::sqrt(rows) * (t.abs + rows * 0x1p-23);
    if (sizeof(T) == 2) t.abs += 8 * std::sqrt(rows / 6) * wb::kRounding<T>;
    return t;
  }

  static Args bind(wb::Binder& io, const wb::Case& c) { return bind_with(io, c, 0); }

  static Args bind_with(wb::Binder& io, const wb::Case& c, double slope) {
    const wb::i64 m = c["m"], n = c["n"], k = c["k"];
    const auto h = [slope](wb::i64 i, std::uint64_t seed) {  // half of them 0, or less
      const double z = wb::uniform(seed ^ 0x9E3779B97F4A7C15u, i);
      return std::max(z, slope * z);
    };
    const auto bits = [=](wb::i64 i, std::uint64_t seed) {  // 32 columns of a row
      const wb::i64 row = i / row_words(n), first = i % row_words(n) * 32;
      std::uint32_t word = 0;
      for (wb::i64 j = first; j < std::min(first + 32, n); ++j)
        word |= std::uint32_t{h(row * n + j, seed) > 0} << (j - first);
      return static_cast<double>(word);
    };
    return wb::with_dtype(c.word("dtype"), [&](auto zero) -> Args {
      using T = decltype(zero);
      const double deviation = 1 / std::sqrt(std::max<double>(k, 1));
      return {m,
              n,
              k,
              c.word("dtype"),
              io.in<T>("dy", m * k, normal(1)),
              io.in<T>("w", k * n, normal_or_profile<T>(c, n, 2, deviation)),
              io.in<T>("h", m * n, h),
              io.in<std::uint32_t>("bits", m * row_words(n), bits),
              io.out<T>("dz", {{"row", m}, {"column", n}}),
              io.out<T>("db", n, wb::Space::device, tolerance_of_sums<T>(m, n, k))};
    });
  }

  static wb::Cost cost(const Args& p) {
    const double m = p.m, n = p.n, k = p.k;
    return wb::with_dtype(p.dtype, [&](auto zero) -> wb::Cost {
      const double size = sizeof(zero);
      return {.flops = 2 * m * n * k + m * n,
              .read = size * (m * k + k * n) + m * n / 8,
              .write = size * (m * n + n),
              .math = wb::kMath<decltype(zero)>};
    });
  }

  // The error that a sum of k products may have, as in 04_linear_relu.
  static wb::Tolerance tolerance(const Args& p) {
    return wb::with_dtype(p.dtype,
                          [&](auto zero) { return tolerance_of<decltype(zero)>(p.m, p.n, p.k); });
  }

  // Of large products some columns whole, for db, and some elements spread over all of dz.
  static void reference(const Args& p, wb::Sampler& sampler) { reference_with(p, sampler, 0); }

  static void reference_with(const Args& p, wb::Sampler& sampler, double slope) {
    wb::with_dtype(p.dtype, [&](auto zero) {
      using T = decltype(zero);
      const T *dy = static_cast<const T*>(p.dy), *w = static_cast<const T*>(p.w);
      const T* h = static_cast<const T*>(p.h);
      T *dz = static_cast<T*>(p.dz), *db = static_cast<T*>(p.db);
      std::vector<float> columns(p.k * p.n);  // of W, one after the other
#pragma omp parallel for
      for (wb::i64 column = 0; column < p.n; ++column)
        for (wb::i64 l = 0; l < p.k; ++l) columns[column * p.k + l] = float{w[l * p.n + column]};
      const auto exact = [&](wb::i64 row, wb::i64 column) {
        const double factor = double{h[row * p.n + column]} > 0 ? 1 : slope;
        double sum = 0;
        for (wb::i64 l = 0; factor > 0 && l < p.k; ++l)
          sum += double{dy[row * p.k + l]} * columns[column * p.k + l];
        return factor * sum;
      };
      const auto whole = sampler.some(p.n, sampled(p.m, p.n, p.k) ? 8 : p.n);
      for (const wb::i64 column : whole) {
        double sum = 0;
#pragma omp parallel for reduction(+ : sum)
        for (wb::i64 row = 0; row < p.m; ++row) {
          const double v = exact(row, column);
          dz[row * p.n + column] = static_cast<T>(v);
          sum += v;
        }
        db[column] = static_cast<T>(sum);
      }
      if (!sampled(p.m, p.n, p.k)) return;
      const auto some = sampler.some(p.m * p.n, 1 << 15);
#pragma omp parallel for
      for (std::size_t s = 0; s < some.size(); ++s)
        dz[some[s]] = static_cast<T>(exact(some[s] / p.n, some[s] % p.n));
    });
  }
};

// The exercise on a GPU: h = leaky_relu(z), so dz is an eighth of dh where h > 0 is not true. (What
// that adds to the sums is a 64th of the others' variance.)
struct LeakyReluBackward : LinearReluBackward {
  static constexpr float kSlope = 0.125f;
  static Args bind(wb::Binder& io, const wb::Case& c) { return bind_with(io, c, kSlope); }
  static void reference(const Args& p, wb::Sampler& sampler) { reference_with(p, sampler, kSlope); }
};
