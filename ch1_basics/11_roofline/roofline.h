// Four operations whose arithmetic intensity (AI, FLOPs per byte) differs by four orders of
// magnitude. All of row-major fp32 matrices; count once what has to be read and written, and it
// follows:
//
//   add      c = a + b                            1 FLOP and 12 bytes per element   AI 1/12
//   gemv     c = A b                              2 and 4 per element of A          AI 1/2
//   stencil  c = five-point stencil of a grid,    6 and 8 per element               AI 3/4
//            which is 0 outside
//   matmul   C = A B, (m x k) times (k x n);      2mnk FLOPs, 4(mk + kn + mn) bytes
//            m and k are n where not given        square: AI n/6; n = k = 16 and long m: AI 4
#pragma once

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "wb/problem.h"
#include "wb/variant.h"

enum class Op { add, gemv, stencil, matmul };

struct Roofline {
  // From the far right of the roofline to its far left. The first one is what a sweep walks.
  static constexpr const char* case_names[] = {"{op}, {m} x {n} x {k}", "{op}, {rows} x {columns}",
                                               "{op}, {n} x {n} x {n}"};
  static constexpr wb::Case bench[] = {{{"op", "matmul"}, {"n", 4096}},
                                       {{"op", "matmul"}, {"n", 1024}},
                                       {{"op", "matmul"}, {"n", 128}},
                                       {{"op", "matmul"}, {"m", 1 << 22}, {"n", 16}, {"k", 16}},
                                       {{"op", "stencil"}, {"rows", 8192}, {"columns", 8192}},
                                       {{"op", "gemv"}, {"rows", 16384}, {"columns", 8192}},
                                       {{"op", "add"}, {"elements", 1 << 26}}};
  static constexpr wb::Case bench_cpu[] = {{{"op", "matmul"}, {"n", 384}},
                                           {{"op", "matmul"}, {"n", 64}},
                                           {{"op", "matmul"}, {"m", 1 << 18}, {"n", 16}, {"k", 16}},
                                           {{"op", "stencil"}, {"rows", 2048}, {"columns", 2048}},
                                           {{"op", "gemv"}, {"rows", 4096}, {"columns", 2048}},
                                           {{"op", "add"}, {"elements", 1 << 22}}};
  static constexpr wb::Sweep sweeps[] = {{"n", 32, 4096, wb::Show::flops}};
  static constexpr wb::Sweep sweeps_cpu[] = {{"n", 32, 384, wb::Show::flops}};
  static constexpr wb::Case test[] = {{{"op", "matmul"}, {"n", 0}},
                                      {{"op", "matmul"}, {"n", 1}},
                                      {{"op", "matmul"}, {"n", 31}},
                                      {{"op", "matmul"}, {"n", 33}},
                                      {{"op", "matmul"}, {"n", 127}},
                                      {{"op", "matmul"}, {"n", 129}},
                                      {{"op", "matmul"}, {"n", 256}},
                                      {{"op", "matmul"}, {"m", 5}, {"n", 7}, {"k", 3}},
                                      {{"op", "matmul"}, {"m", 67}, {"n", 130}, {"k", 1}},
                                      {{"op", "matmul"}, {"m", 1500}, {"n", 1540}, {"k", 17}},
                                      {{"op", "matmul"}, {"m", 1}, {"n", 16}, {"k", 16}},
                                      {{"op", "matmul"}, {"m", 259}, {"n", 16}, {"k", 16}},
                                      {{"op", "matmul"}, {"m", 4099}, {"n", 16}, {"k", 16}},
                                      {{"op", "stencil"}, {"rows", 0}, {"columns", 5}},
                                      {{"op", "stencil"}, {"rows", 1}, {"columns", 1}},
                                      {{"op", "stencil"}, {"rows", 31}, {"columns", 33}},
                                      {{"op", "stencil"}, {"rows", 127}, {"columns", 129}},
                                      {{"op", "stencil"}, {"rows", 1}, {"columns", 4099}},
                                      {{"op", "stencil"}, {"rows", 4099}, {"columns", 1}},
                                      {{"op", "stencil"}, {"rows", 65}, {"columns", 132}},
                                      {{"op", "stencil"}, {"rows", 200}, {"columns", 256}},
                                      {{"op", "gemv"}, {"rows", 7}, {"columns", 0}},
                                      {{"op", "gemv"}, {"rows", 1}, {"columns", 1}},
                                      {{"op", "gemv"}, {"rows", 31}, {"columns", 33}},
                                      {{"op", "gemv"}, {"rows", 127}, {"columns", 129}},
                                      {{"op", "gemv"}, {"rows", 1031}, {"columns", 4}},
                                      {{"op", "gemv"}, {"rows", 3}, {"columns", 4099}},
                                      {{"op", "gemv"}, {"rows", 66}, {"columns", 1024}},
                                      {{"op", "add"}, {"elements", 0}},
                                      {{"op", "add"}, {"elements", 1}},
                                      {{"op", "add"}, {"elements", 31}},
                                      {{"op", "add"}, {"elements", 33}},
                                      {{"op", "add"}, {"elements", 4096}},
                                      {{"op", "add"}, {"elements", 100'003}}};

  struct Args {
    Op op;
    wb::i64 m, n, k;  // gemv, stencil: m rows and n columns; add: n elements
    const float *a, *b;
    float* c;
  };

  static Args bind(wb::Binder& io, const wb::Case& s) {
    const auto arrays = [&](Op op, wb::i64 m, wb::i64 n, wb::i64 k, wb::i64 a, wb::i64 b,
                            wb::i64 c) {
      return Args{op, m, n, k, io.in<float>("a", a), io.in<float>("b", b), io.out<float>("c", c)};
    };
    const std::string_view op = s.word("op");
    if (op == "add") {
      const wb::i64 n = s["elements"];
      return arrays(Op::add, 1, n, 1, n, n, n);
    }
    if (op == "matmul") {
      const wb::i64 n = s["n"], m = s.get("m", n), k = s.get("k", n);
      return arrays(Op::matmul, m, n, k, m * k, k * n, m * n);
    }
    if (op != "gemv" && op != "stencil") throw wb::Unsupported("there is no such operation");
    const wb::i64 m = s["rows"], n = s["columns"];
    if (op == "gemv") return arrays(Op::gemv, m, n, 1, m * n, n, m);
    return arrays(Op::stencil, m, n, 1, m * n, 0, m * n);
  }

  static wb::Cost cost(const Args& p) {
    const double m = p.m, n = p.n, k = p.k;
    switch (p.op) {
      case Op::add: return {.flops = n, .read = 8 * n, .write = 4 * n};
      case Op::gemv: return {.flops = 2 * m * n, .read = 4 * (m * n + n), .write = 4 * m};
      case Op::stencil: return {.flops = 6 * m * n, .read = 4 * m * n, .write = 4 * m * n};
      case Op::matmul: break;
    }
    return {.flops = 2 * m * n * k, .read = 4 * (m * k + k * n), .write = 4 * m * n};
  }

  // u = 2^-24. A sum of k products of values in [-1, 1) that are added one by one in fp32 errs by
  // 0.14 k u (root mean square, random signs); 2 k u is 14 times that, and a fiftieth of what
  // inputs rounded to TF32 would cost; few sums end so far from 0 that rel counts
  // (08_batched_gemm). The stencil's three additions give sums below 2, 3 and 4, so they err by at
  // most 1, 2 and 2 u, an eighth of which remains; the last addition errs by u / 2.
  static wb::Tolerance tolerance(const Args& p) {
    constexpr double u = 0x1p-24;
    const auto sum = [](wb::i64 terms) -> wb::Tolerance {
      const double k = static_cast<double>(terms);
      return {.rel = 2 * std::sqrt(k) * u, .abs = 2 * k * u};
    };
    switch (p.op) {
      case Op::add: return {.rel = u};
      case Op::gemv: return sum(p.n);
      case Op::stencil: return {.abs = 2 * u};
      case Op::matmul: break;
    }
    wb::Tolerance product = sum(p.k);
    product.sampled = checked(p) < p.m;
    return product;
  }

  static void reference(const Args& p, wb::Sampler& sampler) {
    const wb::i64 m = p.m, n = p.n;
    if (p.op == Op::add) {
      for (wb::i64 i = 0; i < n; ++i) p.c[i] = p.a[i] + p.b[i];
    } else if (p.op == Op::gemv) {
      for (wb::i64 i = 0; i < m; ++i) {
        double sum = 0;
        for (wb::i64 j = 0; j < n; ++j) sum += static_cast<double>(p.a[i * n + j]) * p.b[j];
        p.c[i] = static_cast<float>(sum);
      }
    } else if (p.op == Op::stencil) {
      const auto at = [&](wb::i64 i, wb::i64 j) -> double {
        return i >= 0 && i < m && j >= 0 && j < n ? p.a[i * n + j] : 0;
      };
      for (wb::i64 i = 0; i < m; ++i)
        for (wb::i64 j = 0; j < n; ++j) {
          const double around = at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1);
          p.c[i * n + j] = static_cast<float>(0.5 * at(i, j) + 0.125 * around);
        }
    } else {
      std::vector<double> sum(n);
      for (const wb::i64 i : sampler.some(m, checked(p))) {
        std::fill(sum.begin(), sum.end(), 0.0);
        for (wb::i64 l = 0; l < p.k; ++l) {
          const double left = p.a[i * p.k + l];
          for (wb::i64 j = 0; j < n; ++j) sum[j] += left * p.b[l * n + j];
        }
        for (wb::i64 j = 0; j < n; ++j) p.c[i * n + j] = static_cast<float>(sum[j]);
      }
    }
  }

  static std::vector<wb::Product> products(const Args& p) {
    if (p.op != Op::matmul) return {};
    return {{{p.a, p.m, p.k, p.k, 1}, {p.b, p.k, p.n, p.n, 1}, {p.c, p.m, p.n, p.n, 1}}};
  }

 private:
  // Of large products that many rows are computed.
  static wb::i64 checked(const Args& p) {
    return p.m / (static_cast<wb::i64>(1.0 * p.m * p.n * p.k * 0x1p-30) + 1);
  }
};

// One element of the stencil, from its own value and its four neighbours.
#ifdef __CUDACC__
__host__ __device__
#endif
    constexpr float
    stencil(float here, float up, float down, float left, float right) {
  return 0.5f * here + 0.125f * (up + down + left + right);
}
