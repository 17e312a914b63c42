// y = gelu(x + bias[column]) * 0.5 + residual, four operations between two layers of a transformer:
// for each element two values are read and one is written, whatever happens in between.
//
// gelu is the variant with tanh: gelu(v) = v/2 * (1 + tanh(u)), u = sqrt(2/pi) * (v + 0.044715
// v^3), which is v / (1 + exp(-2u)).
#pragma once

#include <cmath>

#include "wb/half.h"
#include "wb/problem.h"
#include "wb/variant.h"

constexpr float kScale = 0.5f;

struct Fusion {
  static constexpr const char* case_names[] = {"{batch} x {rows} x {columns}, {dtype}",
                                               "{rows} x {columns}, {dtype}"};
  static constexpr wb::Case bench[] = {
      {{"size", "xlarge"}, {"dtype", "fp32"}, {"rows", 8192}, {"columns", 8192}},
      {{"size", "small"}, {"dtype", "fp32"}, {"rows", 256}, {"columns", 256}},
      {{"size", "small"}, {"dtype", "fp32"}, {"rows", 512}, {"columns", 512}},
      {{"size", "medium"}, {"dtype", "fp32"}, {"rows", 2048}, {"columns", 2048}},
      {{"size", "large"}, {"dtype", "fp32"}, {"rows", 4096}, {"columns", 4096}},
      {{"size", "xlarge"}, {"dtype", "fp32"}, {"rows", 16384}, {"columns", 16384}},
      {{"size", "batch"}, {"dtype", "fp32"}, {"batch", 64}, {"rows", 512}, {"columns", 512}},
      {{"size", "large"}, {"dtype", "bf16"}, {"rows", 4096}, {"columns", 4096}},
      {{"size", "xlarge"}, {"dtype", "bf16"}, {"rows", 8192}, {"columns", 8192}},
      {{"size", "xlarge"}, {"dtype", "fp16"}, {"rows", 8192}, {"columns", 8192}}};
  static constexpr wb::Case bench_cpu[] = {
      {{"size", "large"}, {"dtype", "fp32"}, {"rows", 4096}, {"columns", 4096}},
      {{"size", "small"}, {"dtype", "fp32"}, {"rows", 512}, {"columns", 512}},
      {{"size", "medium"}, {"dtype", "fp32"}, {"rows", 2048}, {"columns", 2048}},
      {{"size", "medium"}, {"dtype", "bf16"}, {"rows", 2048}, {"columns", 2048}}};
  // late: every array starts at its element 1, not at an aligned address.
  static constexpr wb::Case test[] = {
      {{"dtype", "fp32"}, {"rows", 0}, {"columns", 7}},
      {{"dtype", "fp32"}, {"rows", 1}, {"columns", 1}},
      {{"dtype", "bf16"}, {"rows", 1}, {"columns", 31}},
      {{"dtype", "fp16"}, {"rows", 33}, {"columns", 1}},
      {{"dtype", "fp32"}, {"rows", 127}, {"columns", 129}},
      {{"dtype", "fp16"}, {"rows", 127}, {"columns", 129}},
      {{"dtype", "bf16"}, {"rows", 127}, {"columns", 129}},
      {{"dtype", "fp32"}, {"rows", 1}, {"columns", 100'003}},
      {{"dtype", "bf16"}, {"rows", 100'003}, {"columns", 1}},
      {{"dtype", "fp32"}, {"rows", 60}, {"columns", 1024}},
      {{"dtype", "fp16"}, {"rows", 61}, {"columns", 264}},
      {{"dtype", "bf16"}, {"rows", 37}, {"columns", 1040}},
      {{"dtype", "fp32"}, {"rows", 31}, {"columns", 256}, {"late", 1}},
      {{"dtype", "bf16"}, {"rows", 31}, {"columns", 129}, {"late", 1}},
      {{"dtype", "fp32"}, {"rows", 1023}, {"columns", 1028}},
      {{"dtype", "fp32"},
       {"rows", 2101},
       {"columns", 1028}},  // enough elements for the launches of large cases
      {{"dtype", "bf16"}, {"rows", 4099}, {"columns", 1032}},
      {{"dtype", "fp32"}, {"batch", 3}, {"rows", 33}, {"columns", 72}}};

  struct Args {
    wb::i64 rows, columns;
    const char* dtype;         // of all four arrays
    const void *x, *residual;  // rows x columns, dense
    const void* bias;          // columns
    void* y;                   // rows x columns
    wb::i64 size() const { return rows * columns; }
  };

  static Args bind(wb::Binder& io, const wb::Case& c) {
    return wb::with_dtype(c.word("dtype"), [&](auto zero) -> Args {
      using T = decltype(zero);
      const wb::i64 rows = c.get("batch", 1) * c["rows"], columns = c["columns"];
      const wb::i64 size = rows * columns, late = c.get("late", 0);
      // In [-4, 4), to reach both ends of gelu: almost 0, and almost the identity.
      const auto wide = [](wb::i64 i, std::uint64_t seed) { return 4 * wb::uniform(seed, i); };
      const T* x = io.in<T>("x", size + late, wide) + late;
      const T* residual = io.in<T>("residual", size + late) + late;
      const T* bias = io.in<T>("bias", columns + late) + late;
      // Element 0 of an array that starts at 1 must stay as it was.
      T* y = late ? io.inout<T>("y", size + late) + late : io.out<T>("y", size);
      return {rows, columns, c.word("dtype"), x, residual, bias, y};
    });
  }

  static double element_size(const Args& p) {
    return wb::with_dtype(p.dtype, [](auto zero) { return static_cast<double>(sizeof zero); });
  }
  static wb::Cost cost(const Args& p) {  // 12 operations, an exponential among them
    const double elements = p.size(), bytes = element_size(p);
    return {.flops = 12 * elements,
            .read = (2 * elements + p.columns) * bytes,
            .write = elements * bytes};
  }

  // Arithmetic is fp32 for every type, and v = x + bias is in [-5, 5). In units of u = 2^-24:
  // rounding v costs 1.13 * 5 (the slope of gelu is at most 1.13), the argument of exp with its 4
  // roundings 4 * 0.25 (|2u gelu'| of that factor is below 0.25), exp itself 4, which is 2 ulp,
  // times 0.25, 1 + exp another 5, and the division, 2 ulp or 4, times 5: in all 33, halved by the
  // scale. Storing y, here and in the reference, rounds once each.
  static wb::Tolerance tolerance(const Args& p) { return tolerance_with(p, 0); }

  static void reference(const Args& p) {
    wb::with_dtype(p.dtype, [&](auto zero) {
      using T = decltype(zero);
      const auto x = static_cast<const T*>(p.x), residual = static_cast<const T*>(p.residual),
                 bias = static_cast<const T*>(p.bias);
      const auto y = static_cast<T*>(p.y);
#ifdef _OPENMP
#pragma omp parallel for schedule(static)
#endif
      for (wb::i64 row = 0; row < p.rows; ++row)
        for (wb::i64 column = 0; column < p.columns; ++column) {
          const wb::i64 i = row * p.columns + column;
          const double v = static_cast<double>(x[i]) + static_cast<double>(bias[column]);
          const double u = std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v);
          const double gelu = 0.5 * v * (1 + std::tanh(u));
          y[i] = static_cast<T>(gelu * kScale + static_cast<double>(residual[i]));
        }
    });
  }

 protected:
  // `stored`: absolute error, relative to kRounding, of what was stored on the way.
  static wb::Tolerance tolerance_with(const Args& p, double stored) {
    const double rounding =
        wb::with_dtype(p.dtype, [](auto zero) { return wb::kRounding<decltype(zero)>; });
    return {.rel = 2 * rounding, .abs = 17 * 0x1p-24 + stored * rounding};
  }
};

// The same, in several kernels: what one stores for the next is rounded to the type of the arrays.
// In fp32 that changes little; fp16 and bf16 lose digits each time, and the tolerance has to say
// so. Storing x + bias costs at most 1.13 * 5 roundings, and storing gelu 5, both halved by the
// scale; the scale itself is exact, but its array rounds again what is no longer normal (2^-25 in
// fp16).
struct Chain : Fusion {
  static wb::Tolerance tolerance(const Args& p) {
    wb::Tolerance t = tolerance_with(p, (1.13 * 5 + 5) / 2);
    t.abs += 0x1p-25;
    return t;
  }
};

// The CPU's exercise: an operation that needs a whole row. With g = gelu(x + bias),
// y = g / sqrt(1 + mean of g * g along the row) + residual. The same bytes, four operations more.
struct RowScaled : Fusion {
  static wb::Cost cost(const Args& p) {
    wb::Cost cost = Fusion::cost(p);
    cost.flops += 4.0 * p.size();
    return cost;
  }

  // In units of 2^-24, with Fusion's 33 for g, |g| < 5, and a root of at least 1: g costs 33; the
  // root at most half of what the mean does, which is 33 (2 |g| / (1 + g * g) is at most 1) and a
  // rounding for each of the row's sums, products and for what follows: 5 / 2 * (columns + 40).
  static wb::Tolerance tolerance(const Args& p) {
    wb::Tolerance t = tolerance_with(p, 0);
    t.abs = (33 + 2.5 * (p.columns + 40)) * 0x1p-24;
    return t;
  }

  static void reference(const Args& p) {
    wb::with_dtype(p.dtype, [&](auto zero) {
      using T = decltype(zero);
      const auto x = static_cast<const T*>(p.x), residual = static_cast<const T*>(p.residual),
                 bias = static_cast<const T*>(p.bias);
      const auto y = static_cast<T*>(p.y);
      const auto g = [&](wb::i64 row, wb::i64 column) {
        const double v =
            static_cast<double>(x[row * p.columns + column]) + static_cast<double>(bias[column]);
        return 0.5 * v * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v)));
      };
#ifdef _OPENMP
#pragma omp parallel for schedule(static)
#endif
      for (wb::i64 row = 0; row < p.rows; ++row) {
        double sum = 0;
        for (wb::i64 i = 0; i < p.columns; ++i) sum += g(row, i) * g(row, i);
        const double root = std::sqrt(1 + sum / static_cast<double>(p.columns));
        for (wb::i64 i = row * p.columns, column = 0; column < p.columns; ++i, ++column)
          y[i] = static_cast<T>(g(row, column) / root + static_cast<double>(residual[i]));
      }
    });
  }
};
