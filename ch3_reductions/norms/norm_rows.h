// LayerNorm: y = (x - mean) * rstd * weight + bias, where mean and rstd = 1 / sqrt(variance + eps)
// belong to a row. RMSNorm: y = x * rstd * weight, with the mean of the squares for a variance. All
// inside is fp32; x, y, weight and bias have one type. Least traffic: x read once, y written once.
//
// Backward, with g = dy * weight and xhat = (x - mean) * rstd (RMSNorm: x * rstd):
//   dx = rstd * (g - mean of g - xhat * mean of g * xhat)    over the row; RMSNorm: no mean of g
//   dweight = sum of dy * xhat,  dbias = sum of dy           over all rows; RMSNorm: no dbias
// mean and rstd are inputs, as the forward pass saved them. x and dy are read once, dx is written.
//
// Two lessons have this problem, each with cases of its own: 08_layernorm has the forward pass, and
// 09_layernorm_backward the backward pass.
#pragma once

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "wb/half.h"
#include "wb/problem.h"
#include "wb/profiles.h"
#include "wb/variant.h"

constexpr wb::Case matrix(const char* op, const char* dtype, wb::i64 rows, wb::i64 columns) {
  return {{"op", op}, {"dtype", dtype}, {"rows", rows}, {"columns", columns}};
}
// Rows of x begin `stride` elements apart, the first one `late` elements after an aligned address.
constexpr wb::Case view(const char* op, const char* dtype, wb::i64 rows, wb::i64 columns,
                        wb::i64 stride, wb::i64 late) {
  return {{"op", op},           {"dtype", dtype},   {"rows", rows},
          {"columns", columns}, {"stride", stride}, {"late", late}};
}
// What x holds, where it is not -1 to 1: see value() below.
constexpr wb::Case special(const char* op, const char* dtype, const char* values, wb::i64 rows,
                           wb::i64 columns) {
  return {{"op", op}, {"dtype", dtype}, {"values", values}, {"rows", rows}, {"columns", columns}};
}

struct NormRows {
  static constexpr float kEpsilon = 1e-5f;
  static constexpr double kOffset = 8192;

  struct Args {
    bool rms = false, backward = false;
    const char* dtype = "";  // of all arrays but mean and rstd
    wb::i64 rows = 0, columns = 0;
    wb::i64 stride = 0;  // elements from one row of x to the next one's; y, dy, dx have no gaps
    const char* values = "";
    // Null is what an operation has no use for: RMSNorm has neither bias nor mean.
    const void *x = nullptr, *weight = nullptr, *bias = nullptr, *dy = nullptr;
    const float *mean = nullptr, *rstd = nullptr;  // of each row
    void *y = nullptr, *dx = nullptr, *dweight = nullptr, *dbias = nullptr;
  };

  static Args bind(wb::Binder& io, const wb::Case& c) { return bind(io, c, true); }

 protected:
  // Without `wants_dx` the backward pass has no dx: an exercise has the other gradients alone.
  static Args bind(wb::Binder& io, const wb::Case& c, bool wants_dx) {
    const wb::i64 rows = c["rows"], columns = c["columns"], stride = c.get("stride", columns);
    const wb::i64 late = c.get("late", 0), count = rows * columns;
    const std::string_view op = c.word("op");
    Args p{.rms = op.starts_with("rmsnorm"),
           .backward = op.ends_with("_backward"),
           .dtype = c.word("dtype"),
           .rows = rows,
           .columns = columns,
           .stride = stride,
           .values = c.word("values")};
    if (op != "layernorm" && op != "rmsnorm" && op != "layernorm_backward" &&
        op != "rmsnorm_backward")
      throw std::invalid_argument("unknown op " + std::string(op));
    if (stride < columns) throw wb::Unsupported("rows that overlap: stride is below columns");
    // In steps of 2^-10, so many columns add up without rounding.
    const bool drawn = c.find("profile");
    if (drawn && p.backward) throw wb::Unsupported("mean and rstd are those of other values");
    if (drawn && columns > 1 << 14) throw wb::Unsupported("sums of so many values round");
    if (drawn) p.values = c.word("profile");
    wb::with_dtype(p.dtype, [&](auto zero) {
      using T = decltype(zero);
      const wb::Fill fill =
          drawn ? wb::profiled<T>(c, {.row = stride, .late = late, .step = 0x1p-10}, 0)
                : value<T>(p.values, columns, stride, late);
      const T* x = io.in<T>("x", late + (rows ? (rows - 1) * stride + columns : 0), fill);
      p.x = x ? x + late : x;
      p.weight = io.in<T>("weight", columns, [](wb::i64 i, std::uint64_t seed) {
        return 1 + wb::uniform(seed + 1, static_cast<std::uint64_t>(i)) / 2;
      });
      if (!p.backward) {
        if (!p.rms) p.bias = io.in<T>("bias", columns);
        p.y = io.out<T>("y", {{"row", rows}, {"column", columns}});
        return;
      }
      p.dy = io.in<T>("dy", count, [](wb::i64 i, std::uint64_t seed) {
        return wb::uniform(seed + 2, static_cast<std::uint64_t>(i));
      });
      // For x from -1 to 1 they are close to 0 and to the root of 3. No result depends on how
      // close.
      if (!p.rms)
        p.mean = io.in<float>("mean", rows, [](wb::i64 i, std::uint64_t seed) {
          return wb::uniform(seed + 3, static_cast<std::uint64_t>(i)) / 10;
        });
      p.rstd = io.in<float>("rstd", rows, [](wb::i64 i, std::uint64_t seed) {
        return 1.75 + wb::uniform(seed + 4, static_cast<std::uint64_t>(i)) / 4;
      });
      if (wants_dx) p.dx = io.out<T>("dx", {{"row", rows}, {"column", columns}});
      p.dweight = io.out<T>("dweight", columns, wb::Space::device, over_rows<T>(rows));
      if (!p.rms) p.dbias = io.out<T>("dbias", columns, wb::Space::device, over_rows<T>(rows));
    });
    return p;
  }

 public:
  static double element_bytes(const char* dtype) {
    return wb::with_dtype(dtype, [](auto zero) { return static_cast<double>(sizeof(zero)); });
  }

  static wb::Cost cost(const Args& p) {
    const double rows = static_cast<double>(p.rows), columns = static_cast<double>(p.columns);
    const double row = element_bytes(p.dtype) * columns, all = rows * row;
    if (p.backward)
      return {.flops = (p.rms ? 10.0 : 14.0) * rows * columns,
              .read = 2 * all + row + (p.rms ? 4 : 8) * rows,
              .write = all + (p.rms ? 1 : 2) * row};
    return {.flops = (p.rms ? 4.0 : 8.0) * rows * columns,
            .read = all + (p.rms ? 1 : 2) * row,
            .write = all};
  }

  // u = 2^-24. An addition errs by half a unit of its result, so one accumulator that takes n
  // positive terms errs by 0.33 sqrt(n) u of its sum, and hardly ever by six times that. Besides,
  // once the sum is large, small squares are rounded away: 0.1 (n u)^1.5 of it at most. rstd, which
  // goes with the root of the sum, errs by half of both, and by some u for the root and the
  // products. Values are multiples of 2^-10 whose sums fit into 24 bits (next to spikes the others
  // do not count), so a mean is off by its division. Around 8192 it is by 2 sqrt(n) u of that, but
  // no more than if all differences from 8192 were rounded away, 4 / sqrt(n), and 2^-9 for partial
  // means; the square of that adds to the variance. y takes from that |xhat weight| times the error
  // of rstd, and rstd weight times the error of the mean. |weight| is up to 1.5, |xhat| up to
  // sqrt(n), rstd is 1 / sqrt(eps) = 316 at most; from -1 to 1 both are up to 4, and close to 1.75
  // in long rows. So a lost element shows in y up to n = 18 000 or so. For longer rows there are
  // spikes: few elements with all of the variance; each of them shows. One of 64 ("ends") among
  // 1031 to 15 000 others leaves the sums within 24 bits and the mean below 1.
  static wb::Tolerance tolerance(const Args& p) {
    constexpr double u = 0x1p-24, kMostRstd = 316.3, kMostWeight = 1.5;
    return wb::with_dtype(p.dtype, [&](auto zero) -> wb::Tolerance {
      using T = decltype(zero);
      const double rel = 2 * wb::kRounding<T>, smallest = std::is_same_v<T, wb::half> ? u : 0;
      // Means of zero-mean products: 4 u each, times rstd and |xhat|, and as much for the products.
      if (p.backward) return {.rel = rel, .abs = 64 * u + smallest};
      const std::string_view values = p.values;
      const double n = static_cast<double>(std::max<wb::i64>(p.columns, 1)), root = std::sqrt(n);
      // y = bias, but for subnormal numbers; RMSNorm: x * 316 * weight. A mean, and what it is made
      // of, are whole units of 2^-149, and next to a bias of 0 each of them shows.
      if (values == "tiny")
        return {.rel = rel + 8 * u,
                .abs = std::is_same_v<T, wb::half>       ? 16 * u
                       : std::is_same_v<T, wb::bfloat16> ? 0x1p-132
                       : p.rms                           ? 0x1p-146
                                                         : 8 * 0x1p-149 * kMostRstd * kMostWeight};
      const bool ordinary = values.empty() || values == "offset" || values == "inf";
      const double most_rstd = !ordinary || n < 32 ? kMostRstd : n < 1000 ? 4 : 1.9;
      const double largest = kMostWeight * (ordinary ? std::min(root, n < 1000 ? 4.0 : 2.0) : root);
      double mean = p.rms ? 0 : 2 * u;
      if (values == "offset" && !p.rms)
        mean = std::min(kOffset * 2 * (root + 1) * u, 4 / root) + 0x1p-9;
      const double off = mean * most_rstd;
      // After an outlier all squares are about alike, so one accumulator may round each of them
      // the same way, by half a unit of the sum: n u of it, and rstd errs by half. Two passes in
      // fp32 came to 0.83 of the bound at worst, Welford and 16 accumulators to 0.3. One
      // accumulator of squares about an outlier as its pivot exceeds it in 95 % of such rows of 64
      // columns.
      const double one_way = values == "outlier" ? n * u / 2 : 0;
      const double rstd = (root + 8) * u + 0.05 * std::pow(n * u, 1.5) + off * off + one_way;
      return {.rel = rel,
              .abs = kMostWeight * mean * most_rstd + largest * rstd + 2 * u + smallest,
              .nan = true};
    });
  }

  static void reference(const Args& p) {
    wb::with_dtype(p.dtype, [&](auto zero) {
      using T = decltype(zero);
      p.backward ? backward<T>(p) : forward<T>(p);
    });
  }

 private:
  //   (nothing)  multiples of 2^-10 from -1 to 1
  //   offset     the same around 8192: the difference of two large numbers is the variance
  //   constant   a row is one number: its variance is 0
  //   tiny       so small that the squares are 0, or almost
  //   spikes     pairs of 1 and -1, four or so, the last elements among them, and 2^-20 of what
  //              is usual
  //   ends       64 in the first column of even rows and in the last one of odd rows, else from
  //              -1 to 1: who takes the first element for the mean, or sees the last one too late
  //   inf        some are infinite
  template <class T>
  static wb::Fill value(std::string_view values, wb::i64 columns, wb::i64 stride, wb::i64 late) {
    if (!values.empty() && values != "offset" && values != "constant" && values != "tiny" &&
        values != "spikes" && values != "ends" && values != "inf")
      throw std::invalid_argument("unknown values " + std::string(values));
    return [=](wb::i64 i, std::uint64_t seed) {
      const double u = wb::uniform(seed, static_cast<std::uint64_t>(i));
      const double v = std::floor(u * 1024) / 1024;
      if (values.empty() || columns == 0) return v;
      const wb::i64 row = std::max<wb::i64>(i - late, 0) / stride,
                    column = std::max<wb::i64>(i - late, 0) % stride;
      if (values == "offset") return kOffset + v;
      if (values == "ends") return column == (row % 2 ? columns - 1 : 0) ? 64.0 : v;
      if (values == "constant")
        return std::floor(wb::uniform(seed, static_cast<std::uint64_t>(row)) * 1024) / 1024;
      if (values == "tiny") return v * (std::is_same_v<T, wb::half> ? 0x1p-13 : 0x1p-127);
      const wb::i64 from_end = columns - 1 - column, pair = from_end / 2;
      const wb::i64 drawn_at = i + (values == "spikes" ? from_end % 2 : 0);
      const double chance = (wb::uniform(~seed, static_cast<std::uint64_t>(drawn_at)) + 1) / 2;
      if (values == "spikes") {  // the first of an odd number has no partner
        const bool alone = column == 0 && from_end % 2 == 0;
        return pair == 0 || (chance * static_cast<double>(columns) < 8 && !alone)
                   ? (from_end % 2 ? -1.0 : 1.0)
                   : v * 0x1p-20;
      }
      return chance < 0.01 ? std::numeric_limits<double>::infinity() : v;
    };
  }

  // Sums over rows of products of zero mean, 0.6 each or so: they walk up to 2 sqrt(rows), an
  // addition errs by 0.6 u of that, and all of them together by 0.6 rows u, six times that at most;
  // and some u for the products. A lost row shows up to a million rows, where a unit of the type
  // lets it.
  template <class T> static wb::Tolerance over_rows(wb::i64 rows) {
    return {.rel = 2 * wb::kRounding<T>, .abs = (4 * static_cast<double>(rows) + 16) * 0x1p-24};
  }

  template <class T> static void forward(const Args& p) {
    const T *x = static_cast<const T*>(p.x), *weight = static_cast<const T*>(p.weight);
    const T* bias = static_cast<const T*>(p.bias);
    T* y = static_cast<T*>(p.y);
    const auto n = static_cast<double>(p.columns);
#pragma omp parallel for schedule(static) if (p.rows * p.columns > 65536)
    for (wb::i64 row = 0; row < p.rows; ++row) {
      const T* const own = x + row * p.stride;
      double mean = 0, squares = 0;
      if (!p.rms)
        for (wb::i64 i = 0; i < p.columns; ++i) mean += static_cast<double>(own[i]) / n;
      for (wb::i64 i = 0; i < p.columns; ++i) {
        const double off = static_cast<double>(own[i]) - mean;
        squares += off * off;
      }
      const double rstd = 1 / std::sqrt(squares / n + static_cast<double>(kEpsilon));
      for (wb::i64 i = 0; i < p.columns; ++i) {
        const double xhat = (static_cast<double>(own[i]) - mean) * rstd;
        y[row * p.columns + i] = static_cast<T>(xhat * static_cast<double>(weight[i]) +
                                                (bias ? static_cast<double>(bias[i]) : 0));
      }
    }
  }

  template <class T> static void backward(const Args& p) {
    const T *x = static_cast<const T*>(p.x), *weight = static_cast<const T*>(p.weight);
    const T* dy = static_cast<const T*>(p.dy);
    T *dx = static_cast<T*>(p.dx), *dweight = static_cast<T*>(p.dweight);
    T* dbias = static_cast<T*>(p.dbias);
    const auto xhat = [&](wb::i64 row, wb::i64 i) {
      return (static_cast<double>(x[row * p.stride + i]) - (p.mean ? p.mean[row] : 0.0)) *
             static_cast<double>(p.rstd[row]);
    };
    const auto g = [&](wb::i64 row, wb::i64 i) {
      return static_cast<double>(dy[row * p.columns + i]) * static_cast<double>(weight[i]);
    };
#pragma omp parallel for schedule(static) if (p.rows * p.columns > 65536)
    for (wb::i64 row = 0; row < p.rows; ++row) {
      double mean_g = 0, mean_gx = 0;
      for (wb::i64 i = 0; i < p.columns; ++i) {
        mean_g += p.rms ? 0 : g(row, i) / static_cast<double>(p.columns);
        mean_gx += g(row, i) * xhat(row, i) / static_cast<double>(p.columns);
      }
      for (wb::i64 i = 0; dx && i < p.columns; ++i)
        dx[row * p.columns + i] =
            static_cast<T>(p.rstd[row] * (g(row, i) - mean_g - xhat(row, i) * mean_gx));
    }
    constexpr wb::i64 kTogether = 512;  // columns
#pragma omp parallel for schedule(static) if (p.rows * p.columns > 65536)
    for (wb::i64 first = 0; first < p.columns; first += kTogether) {
      const wb::i64 end = std::min(first + kTogether, p.columns);
      std::vector<double> weights(kTogether), biases(kTogether);
      for (wb::i64 row = 0; row < p.rows; ++row)
        for (wb::i64 i = first; i < end; ++i) {
          const auto d = static_cast<double>(dy[row * p.columns + i]);
          weights[i - first] += d * xhat(row, i), biases[i - first] += d;
        }
      for (wb::i64 i = first; i < end; ++i) {
        dweight[i] = static_cast<T>(weights[i - first]);
        if (dbias) dbias[i] = static_cast<T>(biases[i - first]);
      }
    }
  }
};
