// y = relu(x W^T + b) is a layer of a network: a batch of m rows with k inputs each becomes m rows
// of n outputs. x is m x k, W is n x k, as PyTorch keeps weights, and y is m x n. All are
// row-major; sums are fp32. The product is 2 m n k operations. Bias and ReLU are 2 m n more, a
// thousandth, but as a separate pass they read y and write it once more: 4 m n bytes in bf16.
#pragma once

#include <algorithm>
#include <cmath>

#include "../shared/normal.h"
#include "wb/half.h"
#include "wb/problem.h"

constexpr wb::Case layer(wb::i64 batch, wb::i64 inputs, wb::i64 outputs, const char* dtype) {
  return {{"m", batch}, {"n", outputs}, {"k", inputs}, {"dtype", dtype}};
}

struct LinearRelu {
  static constexpr const char* case_names[] = {"batch {m}, {k} to {n}, {dtype}"};
  static constexpr wb::Case bench[] = {
      layer(8192, 4096, 4096, "bf16"), layer(1024, 784, 2048, "bf16"),
      layer(256, 256, 512, "bf16"),    layer(2048, 64, 4096, "bf16"),
      layer(8192, 4096, 4096, "fp32"), layer(1024, 784, 2048, "fp32"),
      layer(256, 256, 512, "fp32")};
  static constexpr wb::Case bench_cpu[] = {
      layer(1024, 784, 2048, "fp32"), layer(256, 256, 512, "fp32"), layer(2048, 64, 4096, "fp32")};
  // Ragged in every axis, rows of odd length for what reads 16 bytes at a time, and the empty ones;
  // multiples of 8 for TMA, with more tiles than a GPU has multiprocessors.
  static constexpr wb::Case test[] = {
      layer(1, 1, 1, "bf16"),        layer(1, 31, 33, "fp32"),     layer(31, 33, 127, "bf16"),
      layer(33, 127, 31, "fp32"),    layer(127, 129, 131, "fp16"), layer(129, 40, 136, "bf16"),
      layer(257, 72, 264, "fp16"),   layer(64, 64, 64, "fp32"),    layer(128, 64, 256, "bf16"),
      layer(509, 263, 521, "bf16"),  layer(509, 263, 521, "fp32"), layer(131, 1096, 248, "fp16"),
      layer(1700, 16, 2600, "bf16"), layer(1, 4160, 2048, "fp16"), layer(3000, 520, 8, "bf16"),
      layer(2, 4099, 3, "fp32"),     layer(256, 256, 512, "bf16"), layer(0, 5, 7, "fp32"),
      layer(5, 7, 0, "bf16"),        layer(300, 262, 522, "bf16")};

  struct Args {
    wb::i64 m, n, k;
    const char* dtype;  // of all arrays
    const void *x, *w, *bias;
    void* y;
  };

  // Sums of k products stay near 1, as in a network.
  static Args bind(wb::Binder& io, const wb::Case& c) {
    const wb::i64 m = c["m"], n = c["n"], k = c["k"];
    return wb::with_dtype(c.word("dtype"), [&](auto zero) -> Args {
      using T = decltype(zero);
      return {m,
              n,
              k,
              c.word("dtype"),
              io.in<T>("x", m * k, normal_or_profile<T>(c, k, 1)),
              io.in<T>("w", n * k, normal(2, 1 / std::sqrt(std::max<double>(k, 1)))),
              io.in<T>("bias", n),
              io.out<T>("y", {{"row", m}, {"column", n}})};
    });
  }

  static wb::Cost cost(const Args& p) {
    const double m = p.m, n = p.n, k = p.k;
    return wb::with_dtype(p.dtype, [&](auto zero) -> wb::Cost {
      const double size = sizeof(zero);
      return {.flops = 2 * m * n * (k + 1),
              .read = size * (m * k + n * k + n),
              .write = size * m * n,
              .math = wb::kMath<decltype(zero)>};
    });
  }

  // A sum that ends near 1 passes through about sqrt(l / k) after l products, and each addition
  // costs up to 2^-24 of that, 2^-23 where a tensor core cuts off: k 2^-23 is what errors of one
  // sign would come to. (Of millions of sums a few end at 5 or 6: hence rel, for fp32.) A 16-bit y
  // is rounded, close to a tie in either direction. A second pass that adds the bias rounds once
  // more: the bias is below 1, so that costs kRounding (|y| + 1). fp16 has multiples of
  // 2^-24.
  static wb::Tolerance tolerance(const Args& p) {
    const double k = static_cast<double>(p.k);
    return wb::with_dtype(p.dtype, [&](auto zero) -> wb::Tolerance {
      using T = decltype(zero);
      wb::Tolerance t{
          .rel = 2 * std::sqrt(k) * 0x1p-24, .abs = (k + 4) * 0x1p-23, .sampled = sampled(p)};
      if (sizeof(T) == 2) t.rel = 3 * wb::kRounding<T>, t.abs += wb::kRounding<T> + 0x1p-24;
      return t;
    });
  }

  // Of large products some elements, spread over all of y: of each row, and of each column.
  static void reference(const Args& p, wb::Sampler& sampler) {
    reference_up_to(p, sampler, HUGE_VAL);
  }

 protected:
  static void reference_up_to(const Args& p, wb::Sampler& sampler, double most) {
    wb::with_dtype(p.dtype, [&](auto zero) {
      using T = decltype(zero);
      const T *x = static_cast<const T*>(p.x), *w = static_cast<const T*>(p.w);
      const T* bias = static_cast<const T*>(p.bias);
      T* y = static_cast<T*>(p.y);
      const auto some = sampler.some(p.m * p.n, sampled(p) ? 1 << 15 : p.m * p.n);
#pragma omp parallel for
      for (std::size_t s = 0; s < some.size(); ++s) {
        const wb::i64 row = some[s] / p.n, column = some[s] % p.n;
        double sum = bias[column];
        for (wb::i64 l = 0; l < p.k; ++l) sum += double{x[row * p.k + l]} * w[column * p.k + l];
        y[some[s]] = static_cast<T>(std::clamp(sum, 0.0, most));
      }
    });
  }

 private:
  static bool sampled(const Args& p) { return 1.0 * p.m * p.n * p.k > 0x1p26; }
};

// The exercises: y = min(relu(x W^T + b), 1), a *clipped* ReLU, whose outputs fit into few bits.
struct LinearClipped : LinearRelu {
  static void reference(const Args& p, wb::Sampler& sampler) { reference_up_to(p, sampler, 1); }
};
