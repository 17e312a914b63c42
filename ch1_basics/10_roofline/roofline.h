// Four operations whose arithmetic intensity (AI, FLOPs a byte) differs by four orders of
// magnitude. All of row-major fp32 matrices; count once what has to be read and written, and it
// follows:
//
//   add      c = a + b, n floats                  n FLOPs       12n bytes     AI 1/12
//   gemv     c = A b, A is m x n                  2mn FLOPs     4mn bytes     AI 1/2
//   stencil  c = five-point stencil of an m x n   6mn FLOPs     8mn bytes     AI 3/4
//            grid, which is 0 outside
//   matmul   C = A B, (m x k) times (k x n);      2mnk FLOPs    4(mk + kn + mn) bytes
//            m and k are n where not given        square: AI n/6; n = k = 16 and long m: AI 4
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "wb/problem.h"
#include "wb/variant.h"

enum class Op { add, gemv, stencil, matmul };

struct Roofline {
  // From the far right of the roofline to its far left. The first one decides what `--size` means.
  static constexpr wb::Shape bench[] = {{.n = 4096, .op = "matmul"},
                                        {.n = 1024, .op = "matmul"},
                                        {.n = 128, .op = "matmul"},
                                        {.m = 1 << 22, .n = 16, .k = 16, .op = "matmul"},
                                        {.m = 8192, .n = 8192, .op = "stencil"},
                                        {.m = 16384, .n = 8192, .op = "gemv"},
                                        {.n = 1 << 26, .op = "add"}};
  static constexpr wb::Shape bench_cpu[] = {{.n = 384, .op = "matmul"},
                                            {.n = 64, .op = "matmul"},
                                            {.m = 1 << 18, .n = 16, .k = 16, .op = "matmul"},
                                            {.m = 2048, .n = 2048, .op = "stencil"},
                                            {.m = 4096, .n = 2048, .op = "gemv"},
                                            {.n = 1 << 22, .op = "add"}};
  static constexpr wb::Sweep sweeps[] = {{"matmul", &wb::Shape::n, 32, 4096, wb::Show::flops}};
  static constexpr wb::Sweep sweeps_cpu[] = {{"matmul", &wb::Shape::n, 32, 384, wb::Show::flops}};
  static constexpr wb::Shape test[] = {{.n = 0, .op = "matmul"},
                                       {.n = 1, .op = "matmul"},
                                       {.n = 31, .op = "matmul"},
                                       {.n = 33, .op = "matmul"},
                                       {.n = 127, .op = "matmul"},
                                       {.n = 129, .op = "matmul"},
                                       {.n = 256, .op = "matmul"},
                                       {.m = 5, .n = 7, .k = 3, .op = "matmul"},
                                       {.m = 67, .n = 130, .k = 1, .op = "matmul"},
                                       {.m = 1500, .n = 1540, .k = 17, .op = "matmul"},
                                       {.m = 1, .n = 16, .k = 16, .op = "matmul"},
                                       {.m = 259, .n = 16, .k = 16, .op = "matmul"},
                                       {.m = 4099, .n = 16, .k = 16, .op = "matmul"},
                                       {.m = 0, .n = 5, .op = "stencil"},
                                       {.m = 1, .n = 1, .op = "stencil"},
                                       {.m = 31, .n = 33, .op = "stencil"},
                                       {.m = 127, .n = 129, .op = "stencil"},
                                       {.m = 1, .n = 4099, .op = "stencil"},
                                       {.m = 4099, .n = 1, .op = "stencil"},
                                       {.m = 65, .n = 132, .op = "stencil"},
                                       {.m = 200, .n = 256, .op = "stencil"},
                                       {.m = 7, .n = 0, .op = "gemv"},
                                       {.m = 1, .n = 1, .op = "gemv"},
                                       {.m = 31, .n = 33, .op = "gemv"},
                                       {.m = 127, .n = 129, .op = "gemv"},
                                       {.m = 1031, .n = 4, .op = "gemv"},
                                       {.m = 3, .n = 4099, .op = "gemv"},
                                       {.m = 66, .n = 1024, .op = "gemv"},
                                       {.n = 0, .op = "add"},
                                       {.n = 1, .op = "add"},
                                       {.n = 31, .op = "add"},
                                       {.n = 33, .op = "add"},
                                       {.n = 4096, .op = "add"},
                                       {.n = 100'003, .op = "add"}};

  struct Args {
    Op op;
    wb::i64 m, n, k;
    const float *a, *b;
    float* c;
  };

  static Args bind(wb::Binder& io, const wb::Shape& s) {
    const wb::i64 n = s.n;
    const auto arrays = [&](Op op, wb::i64 m, wb::i64 k, wb::i64 a, wb::i64 b, wb::i64 c) {
      return Args{op, m, n, k, io.in<float>("a", a), io.in<float>("b", b), io.out<float>("c", c)};
    };
    const std::string_view op = s.op;
    const wb::i64 m = s.m ? s.m : n, k = s.k ? s.k : n;
    if (op == "add") return arrays(Op::add, 1, 1, n, n, n);
    if (op == "gemv") return arrays(Op::gemv, s.m, 1, s.m * n, n, s.m);
    if (op == "stencil") return arrays(Op::stencil, s.m, 1, s.m * n, 0, s.m * n);
    if (op == "matmul") return arrays(Op::matmul, m, k, m * k, k * n, m * n);
    throw wb::Unsupported("there is no such operation");
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
  // inputs rounded to TF32 would cost. The stencil's three additions give sums below 2, 3 and 4, so
  // they err by at most 1, 2 and 2 u, an eighth of which remains; the last addition errs by u / 2.
  static wb::Tolerance tolerance(const Args& p) {
    constexpr double u = 0x1p-24;
    switch (p.op) {
      case Op::add: return {.rel = u};
      case Op::gemv: return {.abs = 2 * static_cast<double>(p.n) * u};
      case Op::stencil: return {.abs = 2 * u};
      case Op::matmul: break;
    }
    return {.abs = 2 * static_cast<double>(p.k) * u, .sampled = row_step(p) > 1};
  }

  static void reference(const Args& p) {
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
      for (wb::i64 i = 0; i < m; i += row_step(p)) {
        std::fill(sum.begin(), sum.end(), 0.0);
        for (wb::i64 l = 0; l < p.k; ++l) {
          const double left = p.a[i * p.k + l];
          for (wb::i64 j = 0; j < n; ++j) sum[j] += left * p.b[l * n + j];
        }
        for (wb::i64 j = 0; j < n; ++j) p.c[i * n + j] = static_cast<float>(sum[j]);
      }
    }
  }

 private:
  // Large products are checked on every so-manyth row, an odd number: for 4096^3 on every 65th, one
  // or two in each tile of 128 x 128.
  static wb::i64 row_step(const Args& p) {
    return static_cast<wb::i64>(1.0 * p.m * p.n * p.k * 0x1p-30) | 1;
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
