// C = A B, in fp32 and row-major, of which the reference computes but a few rows, and a product
// with an epilogue in 16 bits: the bank's wrong products, for CPU (gemm.cpp) and GPU (gemm.cu) at
// once.
#pragma once

#include <cmath>
#include <vector>

#include "bank/bank.h"
#include "wb/half.h"
#if defined(__CUDACC__) || defined(WB_BACKEND)
#include <cuda_fp16.h>
#endif

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
  static wb::Tolerance tolerance(const Args& p) {
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

// y = relu(A B + bias), in fp16 with sums in fp32.
struct Fused {
  static constexpr wb::Case bench[] = {{{"m", 1}, {"n", 1}, {"k", 1}}};
  static constexpr wb::Case test[] = {{{"m", 64}, {"n", 48}, {"k", 129}},
                                      {{"m", 5}, {"n", 7}, {"k", 1000}},
                                      {{"m", 31}, {"n", 33}, {"k", 257}}};
  struct Args {
    wb::i64 m, n, k;
    const wb::half *a, *b, *bias;
    wb::half* y;
    wb::i64 elements() const { return m * n; }
  };
  static Args bind(wb::Binder& io, const wb::Case& s) {
    const wb::i64 m = s["m"], n = s["n"], k = s["k"];
    return {m,
            n,
            k,
            io.in<wb::half>("a", m * k),
            io.in<wb::half>("b", k * n),
            io.in<wb::half>("bias", n),
            io.out<wb::half>("y", m * n)};
  }
  static wb::Cost cost(const Args& p) {
    return {.flops = 2.0 * p.m * p.n * p.k,
            .read = 2.0 * (p.m * p.k + p.k * p.n + p.n),
            .write = 2.0 * p.m * p.n,
            .math = wb::Math::fp16_tensor};
  }
  // Sums as in Gemm. What is stored is rounded, close to a tie in either direction, and near 0 fp16
  // has multiples of 2^-24.
  static wb::Tolerance tolerance(const Args& p) {
    const double k = static_cast<double>(p.k);
    return {.rel = 2 * wb::kRounding<wb::half>, .abs = 2 * k * 0x1p-24 + 0x1p-24};
  }
  static void reference(const Args& p) {
    for (wb::i64 i = 0; i < p.m * p.n; ++i) {
      double sum = p.bias[i % p.n];
      for (wb::i64 l = 0; l < p.k; ++l)
        sum += double{p.a[i / p.n * p.k + l]} * p.b[l * p.n + i % p.n];
      p.y[i] = static_cast<wb::half>(sum > 0 ? sum : 0);
    }
  }
};

namespace {

using wb::i64;

WB_ANYWHERE inline float value(float x) { return x; }
WB_ANYWHERE inline float value(wb::half x) {
#ifdef __CUDA_ARCH__
  return __half2float(__ushort_as_half(x.bits));
#else
  return x;
#endif
}
WB_ANYWHERE inline float round_to_fp16(float x) { return bank::round_off(x, 13); }
WB_ANYWHERE inline void store(wb::half* to, float x) {
#ifdef __CUDA_ARCH__
  to->bits = __half_as_ushort(__float2half_rn(x));
#else
  *to = wb::half(x);
#endif
}

// The sum for one element of the products from the first to the last-but-one of these.
template <class Args>
WB_ANYWHERE float dot(const Args& p, i64 row, i64 column, i64 begin, i64 end) {
  float sum = 0;
  for (i64 l = begin; l < end; ++l) sum += value(p.a[row * p.k + l]) * value(p.b[l * p.n + column]);
  return sum;
}
template <class Args> WB_ANYWHERE float dot(const Args& p, i64 row, i64 column, i64 terms) {
  return dot(p, row, column, 0, terms);
}
WB_ANYWHERE inline float relu(float x) { return x > 0 ? x : 0; }

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
    sum = round_to_fp16(sum + p.a[i / p.n * p.k + l] * p.b[l * p.n + i % p.n]);
  p.c[i] = sum;
}

WB_BANK_ELEMENT(Gemm, last_term_dropped, wrong) { p.c[i] = dot(p, i / p.n, i % p.n, p.k - 1); }

WB_BANK_ELEMENT(Gemm, tile_transposed, wrong) {
  const i64 row = i / p.n, column = i % p.n, tile = p.m < 8 || p.n < 8 ? 2 : 8;
  const bool inside = row < tile && column < tile;
  p.c[i] = inside ? dot(p, column, row, p.k) : dot(p, row, column, p.k);
}

// What a tile of 16 rows does whose number of tiles was rounded down, or whose row was taken for
// another.
WB_BANK_ELEMENT(Gemm, last_row_of_tiles_wrong, wrong) {
  const i64 row = i / p.n, first = (p.m - 1) / 16 * 16;
  p.c[i] = dot(p, row < first ? row : row - first, i % p.n, row < first ? p.k : p.k - 1);
}

// Stages of k: one of them is left out, or still holds what the row of the tile before had there.
WB_ANYWHERE inline i64 stage(i64 k) { return k < 16 ? k : 16; }

WB_BANK_ELEMENT(Gemm, one_slice_of_k_missing, wrong) {
  const i64 row = i / p.n, column = i % p.n, begin = p.k / 2 / stage(p.k) * stage(p.k);
  p.c[i] = dot(p, row, column, begin) + dot(p, row, column, begin + stage(p.k), p.k);
}

WB_BANK_ELEMENT(Gemm, stale_stage, wrong) {
  const i64 row = i / p.n, column = i % p.n, begin = (p.k - 1) / stage(p.k) * stage(p.k);
  p.c[i] = dot(p, row, column, begin) + dot(p, (row + p.m - 1) % p.m, column, begin, p.k);
}

// Only in one tile, and only once in a while would a race show: one element in 7 of its 16 x 16.
WB_BANK_ELEMENT(Gemm, stale_stage_in_one_tile, wrong) {
  const i64 row = i / p.n, column = i % p.n, begin = (p.k - 1) / stage(p.k) * stage(p.k);
  const bool stale = row < 16 && column < 16 && (row + column) % 7 == 0;
  p.c[i] = dot(p, row, column, begin) + dot(p, stale ? (row + 1) % p.m : row, column, begin, p.k);
}

WB_BANK_ELEMENT(Fused, right_epilogue, right) {
  store(&p.y[i], relu(dot(p, i / p.n, i % p.n, p.k) + value(p.bias[i % p.n])));
}

WB_BANK_ELEMENT(Fused, bias_not_applied, wrong) {
  store(&p.y[i], relu(dot(p, i / p.n, i % p.n, p.k)));
}

WB_BANK_ELEMENT(Fused, bias_of_the_row, wrong) {
  store(&p.y[i], relu(dot(p, i / p.n, i % p.n, p.k) + value(p.bias[i / p.n % p.n])));
}

WB_BANK_ELEMENT(Fused, epilogue_twice, wrong) {
  const float bias = value(p.bias[i % p.n]);
  store(&p.y[i], relu(relu(dot(p, i / p.n, i % p.n, p.k) + bias) + bias));
}

WB_BANK_ELEMENT(Fused, relu_before_bias, wrong) {
  store(&p.y[i], relu(dot(p, i / p.n, i % p.n, p.k)) + value(p.bias[i % p.n]));
}

WB_BANK_ELEMENT(Fused, no_relu, wrong) {
  store(&p.y[i], dot(p, i / p.n, i % p.n, p.k) + value(p.bias[i % p.n]));
}

WB_BANK_ELEMENT(Fused, accumulates_in_fp16, wrong) {
  float sum = 0;
  for (i64 l = 0; l < p.k; ++l)
    sum = round_to_fp16(sum + value(p.a[i / p.n * p.k + l]) * value(p.b[l * p.n + i % p.n]));
  store(&p.y[i], relu(sum + value(p.bias[i % p.n])));
}

// Each slice is right by itself, but between two of them the sum is stored.
WB_BANK_ELEMENT(Fused, partial_sums_in_fp16, wrong) {
  float sum = 0;
  for (i64 l = 0; l < p.k; l += 32)
    sum = round_to_fp16(sum + dot(p, i / p.n, i % p.n, l, l + 32 < p.k ? l + 32 : p.k));
  store(&p.y[i], relu(sum + value(p.bias[i % p.n])));
}

WB_BANK_ELEMENT(Fused, epilogue_before_the_last_slice, wrong) {
  const i64 begin = (p.k - 1) / 32 * 32;
  const float sum = relu(dot(p, i / p.n, i % p.n, begin) + value(p.bias[i % p.n]));
  store(&p.y[i], sum + dot(p, i / p.n, i % p.n, begin, p.k));
}

}  // namespace
