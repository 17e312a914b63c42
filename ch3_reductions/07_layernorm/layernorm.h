// LayerNorm: y = (x - mean) * rstd * weight + bias, where mean and rstd = 1 / sqrt(variance + eps)
// belong to a row. RMSNorm: y = x * rstd * weight, with the mean of the squares for a variance. All
// inside is fp32; x, y, weight and bias have one type. Least traffic: x read once, y written once.
//
// Backward, with g = dy * weight and xhat = (x - mean) * rstd (RMSNorm: x * rstd):
//   dx = rstd * (g - mean of g - xhat * mean of g * xhat)    over the row; RMSNorm: no mean of g
//   dweight = sum of dy * xhat,  dbias = sum of dy           over all rows; RMSNorm: no dbias
// mean and rstd are inputs, as the forward pass saved them. x and dy are read once, dx is written.
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

struct LayerNorm {
  static constexpr wb::i64 kKi = 1 << 10;
  static constexpr float kEpsilon = 1e-5f;
  static constexpr double kOffset = 8192;
  static constexpr const char* case_names[] = {"{op}, {rows} rows of {columns}, {dtype}"};
  static constexpr wb::Case bench[] = {matrix("layernorm", "fp32", 8 * kKi, 8 * kKi),
                                       matrix("layernorm", "bf16", 8 * kKi, 8 * kKi),
                                       matrix("rmsnorm", "fp32", 8 * kKi, 8 * kKi),
                                       matrix("rmsnorm", "bf16", 8 * kKi, 8 * kKi),
                                       matrix("layernorm", "fp32", kKi, 64 * kKi),
                                       matrix("layernorm", "bf16", kKi, 64 * kKi),
                                       matrix("layernorm", "fp32", 64 * kKi, kKi),
                                       matrix("layernorm", "bf16", 64 * kKi, kKi),
                                       matrix("layernorm", "fp32", 256 * kKi, 256),
                                       matrix("layernorm", "fp32", 64, 512 * kKi),
                                       matrix("layernorm", "fp32", 8192, 8191),
                                       matrix("layernorm", "fp32", 128, 768),
                                       matrix("rmsnorm", "bf16", 64 * kKi, kKi),
                                       matrix("layernorm_backward", "fp32", 8 * kKi, 8 * kKi),
                                       matrix("layernorm_backward", "bf16", 8 * kKi, 8 * kKi),
                                       matrix("rmsnorm_backward", "bf16", 8 * kKi, 8 * kKi),
                                       matrix("layernorm_backward", "fp32", 64 * kKi, kKi)};
  static constexpr wb::Case bench_cpu[] = {
      matrix("layernorm", "fp32", 4096, 4096), matrix("layernorm", "bf16", 4096, 4096),
      matrix("rmsnorm", "fp32", 4096, 4096), matrix("layernorm", "fp32", 64 * kKi, 256),
      matrix("layernorm_backward", "fp32", 4096, 4096)};
  static constexpr wb::Sweep sweeps[] = {{"columns", 64, 64 * kKi, wb::Show::bandwidth, 2}};
  static constexpr wb::Sweep sweeps_cpu[] = {{"columns", 64, 16 * kKi, wb::Show::bandwidth, 2}};
  static constexpr wb::Case test[] = {matrix("layernorm", "fp32", 0, 5),
                                      matrix("layernorm_backward", "fp32", 0, 5),
                                      matrix("rmsnorm", "bf16", 5, 0),
                                      matrix("rmsnorm_backward", "bf16", 5, 0),
                                      matrix("layernorm", "fp32", 1, 1),
                                      matrix("rmsnorm", "fp16", 31, 1),
                                      matrix("layernorm", "bf16", 33, 2),
                                      matrix("layernorm", "fp32", 127, 7),
                                      matrix("rmsnorm", "bf16", 129, 8),
                                      matrix("layernorm", "fp32", 100, 31),
                                      matrix("layernorm", "fp16", 77, 33),
                                      matrix("rmsnorm", "fp32", 65, 64),
                                      matrix("layernorm", "bf16", 40, 127),
                                      matrix("layernorm", "fp32", 2203, 128),
                                      matrix("layernorm", "fp16", 2137, 129),
                                      matrix("rmsnorm", "fp32", 2129, 197),
                                      matrix("layernorm", "fp32", 2251, 1024),
                                      matrix("layernorm", "bf16", 2203, 1000),
                                      matrix("layernorm", "fp32", 128, 768),
                                      matrix("rmsnorm", "bf16", 31, 1536),
                                      matrix("rmsnorm", "fp32", 2129, 200),
                                      matrix("rmsnorm", "fp16", 2129, 504),
                                      matrix("rmsnorm", "fp32", 2203, 500),
                                      matrix("rmsnorm", "bf16", 2203, 1000),
                                      matrix("rmsnorm", "fp16", 31, 1000),
                                      matrix("rmsnorm", "fp32", 33, 3000),
                                      matrix("rmsnorm", "bf16", 20, 6000),
                                      matrix("rmsnorm", "bf16", 140, 8184),
                                      matrix("rmsnorm", "fp32", 5, 12'000),
                                      matrix("rmsnorm", "fp16", 3, 12'000),
                                      matrix("layernorm", "fp32", 9, 4099),
                                      matrix("layernorm", "fp32", 7, 12'001),
                                      matrix("layernorm", "bf16", 7, 12'003),
                                      matrix("rmsnorm", "fp32", 5, 9999),
                                      matrix("rmsnorm", "bf16", 3, 40'001),
                                      matrix("layernorm", "fp16", 7, 5000),
                                      matrix("layernorm", "fp32", 33, 8192),
                                      matrix("layernorm", "fp32", 17, 8191),
                                      matrix("layernorm", "bf16", 5, 16'384),
                                      matrix("rmsnorm", "fp32", 3, 32'768),
                                      matrix("layernorm", "fp32", 4, 40'003),
                                      matrix("layernorm", "bf16", 37, 65'536),
                                      matrix("layernorm", "fp32", 19, 65'536),
                                      matrix("rmsnorm", "fp16", 5, 131'080),
                                      matrix("layernorm", "bf16", 1, 262'147),
                                      matrix("layernorm", "fp32", 2, 524'288),
                                      view("layernorm", "fp32", 33, 4, 8, 0),
                                      view("rmsnorm", "fp32", 129, 31, 33, 1),
                                      view("layernorm", "bf16", 127, 64, 72, 0),
                                      view("layernorm", "fp16", 33, 1296, 1600, 7),
                                      view("layernorm", "fp32", 2251, 132, 135, 1),
                                      view("rmsnorm", "bf16", 9, 8192, 9000, 3),
                                      view("layernorm", "fp32", 5, 65'536, 65'540, 0),
                                      view("layernorm", "fp32", 3, 20'000, 20'002, 2),
                                      view("layernorm", "bf16", 5, 12'000, 12'005, 3),
                                      view("rmsnorm", "fp32", 3, 11'000, 11'005, 2),
                                      special("layernorm", "fp32", "offset", 300, 33),
                                      special("layernorm", "fp32", "offset", 2203, 1000),
                                      special("layernorm", "fp32", "offset", 9, 4099),
                                      special("layernorm", "fp32", "offset", 3, 20'000),
                                      special("rmsnorm", "fp32", "offset", 9, 8192),
                                      special("layernorm", "fp32", "constant", 129, 130),
                                      special("layernorm", "bf16", "constant", 5, 65'536),
                                      special("layernorm", "fp32", "tiny", 33, 700),
                                      special("rmsnorm", "fp32", "tiny", 40, 1024),
                                      special("rmsnorm", "bf16", "tiny", 3, 20'000),
                                      special("layernorm", "fp32", "spikes", 7, 8192),
                                      special("rmsnorm", "bf16", "spikes", 9, 9001),
                                      special("layernorm", "bf16", "spikes", 3, 65'536),
                                      special("rmsnorm", "fp32", "spikes", 2, 300'000),
                                      special("layernorm", "fp32", "spikes", 3, 524'288),
                                      special("layernorm", "fp32", "ends", 2203, 1031),
                                      special("layernorm", "fp32", "ends", 40, 4099),
                                      special("layernorm", "bf16", "ends", 9, 8192),
                                      special("rmsnorm", "fp32", "ends", 9, 8192),
                                      special("layernorm", "fp32", "inf", 100, 31),
                                      special("rmsnorm", "bf16", "inf", 40, 700),
                                      special("layernorm", "fp16", "inf", 40, 700),
                                      special("rmsnorm", "fp16", "inf", 9, 1500),
                                      special("layernorm", "bf16", "inf", 3, 65'536),
                                      matrix("layernorm_backward", "fp32", 1, 1),
                                      matrix("rmsnorm_backward", "fp16", 33, 31),
                                      matrix("layernorm_backward", "bf16", 129, 64),
                                      matrix("layernorm_backward", "fp32", 2203, 129),
                                      matrix("layernorm_backward", "fp16", 127, 1000),
                                      matrix("rmsnorm_backward", "fp32", 1031, 1024),
                                      matrix("layernorm_backward", "fp32", 400, 4099),
                                      matrix("layernorm_backward", "fp32", 300, 8192),
                                      matrix("layernorm_backward", "bf16", 311, 8192),
                                      matrix("rmsnorm_backward", "bf16", 13, 20'000),
                                      matrix("layernorm_backward", "fp32", 3, 65'536),
                                      view("layernorm_backward", "fp32", 67, 1000, 1003, 3),
                                      view("rmsnorm_backward", "bf16", 129, 512, 520, 8),
                                      matrix("rmsnorm", "fp32", 2203, 36),
                                      matrix("rmsnorm", "fp32", 2129, 35),
                                      matrix("rmsnorm", "bf16", 2203, 40),
                                      matrix("rmsnorm", "fp16", 2137, 35),
                                      matrix("rmsnorm", "bf16", 2113, 131),
                                      matrix("layernorm", "bf16", 2203, 40),
                                      matrix("layernorm", "fp32", 2129, 35),
                                      matrix("layernorm", "fp16", 2137, 35),
                                      matrix("rmsnorm", "fp32", 5, 3000),
                                      matrix("layernorm", "fp32", 5, 3000),
                                      matrix("rmsnorm", "bf16", 7, 5000),
                                      matrix("rmsnorm", "fp16", 5, 9000),
                                      matrix("rmsnorm", "fp32", 5, 10'000),
                                      matrix("layernorm", "fp32", 5, 10'000),
                                      matrix("layernorm", "bf16", 3, 20'008),
                                      matrix("rmsnorm", "fp32", 7, 4099),
                                      matrix("layernorm", "bf16", 9, 4099),
                                      matrix("rmsnorm", "fp32", 3, 16'389),
                                      special("rmsnorm", "bf16", "spikes", 3, 20'001),
                                      special("layernorm", "fp32", "spikes", 2, 100'004),
                                      special("rmsnorm", "bf16", "spikes", 2, 100'008),
                                      special("layernorm", "bf16", "spikes", 1, 262'152),
                                      special("rmsnorm", "fp16", "spikes", 1, 300'008),
                                      matrix("layernorm_backward", "fp16", 33, 31),
                                      matrix("layernorm_backward", "bf16", 5, 8200),
                                      matrix("rmsnorm_backward", "fp32", 129, 33),
                                      matrix("rmsnorm_backward", "fp32", 5, 8196),
                                      matrix("layernorm", "bf16", 2203, 400),
                                      matrix("rmsnorm", "bf16", 5003, 1),
                                      matrix("layernorm", "fp32", 4231, 3),
                                      matrix("layernorm", "bf16", 2113, 18),
                                      view("rmsnorm", "bf16", 2129, 18, 18, 8),
                                      view("layernorm", "bf16", 2129, 18, 18, 3),
                                      view("layernorm", "fp32", 2129, 33, 33, 3),
                                      view("layernorm", "fp32", 2129, 35, 36, 1),
                                      view("layernorm", "bf16", 2129, 35, 37, 1),
                                      view("layernorm", "fp16", 2137, 131, 133, 3),
                                      view("rmsnorm", "fp32", 2129, 35, 36, 1),
                                      view("rmsnorm", "fp32", 2129, 197, 199, 3),
                                      view("rmsnorm", "bf16", 2129, 35, 37, 1),
                                      view("rmsnorm", "fp16", 2113, 131, 133, 1),
                                      special("layernorm", "fp32", "offset", 2129, 33),
                                      special("layernorm", "bf16", "inf", 2129, 31)};

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

  static Args bind(wb::Binder& io, const wb::Case& c) {
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
      p.dx = io.out<T>("dx", {{"row", rows}, {"column", columns}});
      p.dweight = io.out<T>("dweight", columns, wb::Space::device, over_rows<T>(rows));
      if (!p.rms) p.dbias = io.out<T>("dbias", columns, wb::Space::device, over_rows<T>(rows));
    });
    return p;
  }

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
      if (values == "tiny")  // y = bias, but for subnormal numbers; RMSNorm: x * 316 * weight
        return {.rel = rel + 8 * u,
                .abs = std::is_same_v<T, wb::half>       ? 16 * u
                       : std::is_same_v<T, wb::bfloat16> ? 0x1p-132
                                                         : 0x1p-146};
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
      for (wb::i64 i = 0; i < p.columns; ++i)
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

// Variants of one of the two passes.
inline void forward_only(const LayerNorm::Args& p) {
  if (p.backward) throw wb::Unsupported("the forward pass alone");
}
inline void backward_only(const LayerNorm::Args& p) {
  if (!p.backward) throw wb::Unsupported("the backward pass alone");
}
