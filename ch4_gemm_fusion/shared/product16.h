// C = A B^T in 16 bits: A is m x k, B is n x k, as a linear layer keeps its weights, and C is
// m x n, all row-major in fp16 or bf16. The sums are fp32. At 8192^3 that is 1.1 TFLOP for 0.4 GB:
// memory could deliver the matrices six times while tensor cores multiply them once. So it decides
// how fast tiles come from L2 and shared memory into the tensor cores.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "normal.h"
#include "wb/half.h"
#include "wb/problem.h"

constexpr wb::Case product(wb::i64 m, wb::i64 n, wb::i64 k, const char* dtype) {
  return {{"m", m}, {"n", n}, {"k", k}, {"dtype", dtype}};
}

struct Product16 {
  static constexpr const char* operation = "matmul";
  static constexpr wb::Case bench[] = {
      product(8192, 8192, 8192, "bf16"), product(4096, 4096, 4096, "bf16"),
      product(8192, 8192, 8192, "fp16"), product(8192, 8192, 512, "bf16"),
      product(4097, 4096, 4104, "bf16"), product(64, 8192, 8192, "bf16"),
      product(128, 128, 65536, "bf16"),  product(4095, 4095, 4095, "bf16")};
  static constexpr wb::Case bench_cpu[] = {product(1024, 1024, 1024, "bf16"),
                                           product(1024, 1024, 1024, "fp16")};
  static constexpr wb::Sweep sweeps[] = {{"k", 64, 16384, wb::Show::flops}};
  static constexpr wb::Sweep sweeps_cpu[] = {{"k", 64, 2048, wb::Show::flops}};
  // With odd k and n for what takes any, with multiples of 8 for TMA; more tiles than an H200 has
  // multiprocessors, so that a block gets several; fewer k than one tile has, and many more.
  static constexpr wb::Case test[] = {
      product(1, 1, 1, "bf16"),         product(1, 8, 8, "bf16"),
      product(31, 33, 17, "fp16"),      product(33, 31, 127, "bf16"),
      product(127, 129, 40, "bf16"),    product(129, 136, 40, "fp16"),
      product(257, 264, 72, "bf16"),    product(64, 64, 64, "fp16"),
      product(128, 256, 64, "bf16"),    product(131, 248, 1096, "bf16"),
      product(509, 521, 263, "fp16"),   product(385, 776, 8, "fp16"),
      product(1031, 1288, 200, "bf16"), product(2561, 3080, 72, "bf16"),
      product(1, 520, 4160, "fp16"),    product(3000, 8, 520, "bf16"),
      product(2, 3, 4099, "bf16"),      product(5, 7, 0, "bf16"),
      product(0, 64, 64, "bf16"),       product(64, 0, 64, "fp16")};

  struct Args {
    wb::i64 m, n, k;
    const char* dtype;
    const void *a, *b;  // m x k, n x k
    void* c;            // m x n
  };

  static Args bind(wb::Binder& io, const wb::Case& c) {
    const wb::i64 m = c["m"], n = c["n"], k = c["k"];
    const char* dtype = c.word("dtype", "bf16");
    return wb::with_dtype(dtype, [&](auto zero) -> Args {
      using T = decltype(zero);
      if (sizeof(T) != 2) throw wb::Unsupported("fp16 or bf16 here; fp32 is 01_sgemm");
      return {m,
              n,
              k,
              dtype,
              io.in<T>("a", m * k, normal_or_profile<T>(c, k, 1)),
              io.in<T>("b", n * k, normal(2)),
              io.out<T>("c", {{"row", m}, {"column", n}})};
    });
  }

  static wb::Cost cost(const Args& p) {
    const double m = p.m, n = p.n, k = p.k;
    return wb::with_dtype(p.dtype, [&](auto zero) -> wb::Cost {
      const bool half = wb::TypeOf<decltype(zero)>::value == wb::Type::f16;
      return {.flops = 2 * m * n * k,
              .read = 2 * (m * k + n * k),
              .write = 2 * m * n,
              .math = half ? wb::Math::fp16_tensor : wb::Math::bf16_tensor};
    });
  }

  // A sum of k products of normal variables goes to sqrt(k) or so. Each fp32 addition may cost
  // 2^-23 of it, as tensor cores cut off what they do not keep; errors of one sign would add up to
  // k^1.5 2^-23. (What a tensor core adds 16 at a time it cuts once: a sixteenth.) That decides
  // where C is near 0. Elsewhere the sum is rounded to 16 bits, which may turn a value close to a
  // tie the other way: one unit in the last place.
  static wb::Tolerance tolerance(const Args& p) {
    const double k = static_cast<double>(p.k);
    return wb::with_dtype(p.dtype, [&](auto zero) -> wb::Tolerance {
      return {.rel = 2 * wb::kRounding<decltype(zero)>,
              .abs = std::max(k * std::sqrt(k) * 0x1p-23, 0x1p-24),
              .sampled = is_large(p)};
    });
  }

  // Sums in double; of large products some rows.
  static void reference(const Args& p, wb::Sampler& sampler) {
    wb::with_dtype(p.dtype, [&](auto zero) {
      using T = decltype(zero);
      const T *a = static_cast<const T*>(p.a), *b = static_cast<const T*>(p.b);
      T* c = static_cast<T*>(p.c);
      const auto rows = sampler.some(p.m, is_large(p) ? 16 : p.m);
      std::vector<float> left;
      for (const wb::i64 row : rows) left.insert(left.end(), a + row * p.k, a + (row + 1) * p.k);
#pragma omp parallel for
      for (wb::i64 j = 0; j < p.n; ++j) {
        const std::vector<float> right(b + j * p.k, b + (j + 1) * p.k);
        for (std::size_t i = 0; i < rows.size(); ++i) {
          double sum = 0;
          for (wb::i64 l = 0; l < p.k; ++l) sum += double{left[i * p.k + l]} * right[l];
          c[rows[i] * p.n + j] = static_cast<T>(sum);
        }
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

// The exercises: each row of C has a factor, as where the rows of A were scaled to fit into few
// bits. It is applied to the sum, before that is rounded.
struct RowScaled : Product16 {
  struct Args : Product16::Args {
    const float* scale;  // m, in [-1, 1)
  };
  static Args bind(wb::Binder& io, const wb::Case& c) {
    const Product16::Args p = Product16::bind(io, c);
    return {p, io.in<float>("scale", p.m)};
  }
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
        static_cast<T*>(p.c)[some[s]] = static_cast<T>(p.scale[row] * sum);
      }
    });
  }
  static std::vector<wb::Product> products(const Args&) { return {}; }  // a scaled one is none
};
