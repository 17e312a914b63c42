// y of the shape `to` is the gradient of a broadcast: x summed over the axes that `to` lacks (in
// front) and over those in which it has size 1. The sums are kept in fp32, and y has the type of x.
// Each element is read once, so the bandwidth of reads decides; where no axis is summed, it is a
// copy.
#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "../reduce_axes/shape.h"
#include "wb/half.h"
#include "wb/problem.h"
#include "wb/profiles.h"
#include "wb/variant.h"

constexpr wb::Case gradient(const char* shape, const char* to, const char* dtype = "fp32",
                            wb::i64 late = 0) {
  return late ? wb::Case{{"dtype", dtype}, {"shape", shape}, {"to", to}, {"late", late}}
              : wb::Case{{"dtype", dtype}, {"shape", shape}, {"to", to}};
}

struct SumToShape {
  static constexpr const char* case_names[] = {"{shape} to {to}, {dtype}"};
  static constexpr wb::Case bench[] = {gradient("8192x8192", "8192"),
                                       gradient("8192x8192", "8192", "bf16"),
                                       gradient("64x512x1024", "1024"),
                                       gradient("64x512x1024", "1024", "bf16"),
                                       gradient("32x256x56x56", "1x256x1x1"),
                                       gradient("32x256x56x56", "1x256x1x1", "bf16"),
                                       gradient("8192x8192", "8192x1"),
                                       gradient("64x128x64x128", "1x128x1x128"),
                                       gradient("8192x8192", "1"),
                                       gradient("8192x8192", "8192x8192")};
  static constexpr wb::Case bench_cpu[] = {
      gradient("4096x4096", "4096"), gradient("4096x4096", "4096x1"),
      gradient("16x64x56x56", "1x64x1x1"), gradient("4096x4096", "1"),
      gradient("16x512x1024", "1024", "bf16")};
  static constexpr const char* any_word[] = {"shape", "to"};
  // late: x starts that many elements after an aligned address.
  static constexpr wb::Case test[] = {gradient("0x5", "5"),
                                      gradient("5x0", "5x1"),
                                      gradient("0x5", "0x5"),
                                      gradient("1", "1"),
                                      gradient("1x1x1", "1", "bf16"),
                                      gradient("31", "1"),
                                      gradient("31x33", "31x33", "fp16"),
                                      gradient("31x33", "33"),
                                      gradient("127x129", "127x1"),
                                      gradient("129x128", "128", "bf16"),
                                      gradient("7x11x64", "64"),
                                      gradient("7x11x64", "11x64", "fp16"),
                                      gradient("7x11x64", "7x1x64"),
                                      gradient("7x11x64", "7x11x1", "bf16"),
                                      gradient("7x11x64", "1x1"),
                                      gradient("8x31x7x7", "1x31x1x1"),
                                      gradient("8x31x14x14", "31x1x1", "bf16"),
                                      gradient("17x149x131", "149x1", "bf16"),
                                      gradient("9x33x7x20", "1x33x1x20"),
                                      gradient("9x33x7x20", "9x1x7x1", "fp16"),
                                      gradient("5x6x3x7x4x9", "6x1x7x1x9"),
                                      gradient("3x4x2x5x3x4x3x8", "3x1x2x1x3x1x3x1", "bf16"),
                                      gradient("8191x67", "67"),
                                      gradient("20011x3", "3", "fp16"),
                                      gradient("3x100003", "3x1"),
                                      gradient("1009x1013", "1", "bf16"),
                                      gradient("2x65537", "65537"),
                                      gradient("129x128", "128", "fp32", 1),
                                      gradient("33x4099", "33x1", "bf16", 5),
                                      gradient("8x31x14x14", "1x31x1x1", "fp16", 3),
                                      gradient("13x149x160", "149x1", "fp32", 3),
                                      gradient("31x33", "31x33", "fp32", 3)};

  struct Args {
    const char* dtype;  // of x and y
    Shape shape;        // of x, with the axes that are summed
    const void* x;
    void* y;
  };

  // Ahead of bind(), or clang++ 14 does not find it.
  // Odd multiples of a unit, in (-1, 1), so that none is 0. The sum of n deviates from 0 by 0.58
  // sqrt(n) or so; the unit is such that eight times that has 2^24 units at most, and fp32 holds
  // each such number. No finer than T can hold.
  template <class T> static wb::Fill values(wb::i64 n) {
    const double deviation = 0.58 * std::sqrt(static_cast<double>(n) + 1);
    const double finest = -std::log2(wb::kRounding<T>);  // bits that T has
    const double bits = std::min(std::log2(0x1p24 / (8 * deviation)), finest);
    return [half = std::exp2(std::floor(bits) - 1)](wb::i64 i, std::uint64_t seed) {
      return (std::floor(wb::uniform(seed, static_cast<std::uint64_t>(i)) * half) + 0.5) / half;
    };
  }

  static Args bind(wb::Binder& io, const wb::Case& c) {
    const std::string_view dtype = c.word("dtype");
    if (dtype != "fp32" && dtype != "fp16" && dtype != "bf16")
      throw wb::Unsupported("unknown dtype " + std::string(dtype));
    const Shape shape = parse_broadcast(c.word("shape"), c.word("to"));
    const wb::i64 late = c.get("late", 0);
    return wb::with_dtype(dtype, [&](auto zero) -> Args {
      using T = decltype(zero);
      const wb::i64 n = shape.per_result();
      const wb::Profiled how{.row = shape.size[shape.rank - 1], .late = late};
      const T* x = io.in<T>("x", shape.elements() + late,
                            c.find("profile") ? wb::profiled_sum<T>(c, how, n, 0) : values<T>(n));
      return {c.word("dtype"), shape, x ? x + late : x, io.out<T>("y", shape.results())};
    });
  }

  static double element_bytes(const char* dtype) {
    return wb::with_dtype(dtype, [](auto zero) { return static_cast<double>(sizeof(zero)); });
  }

  static wb::Cost cost(const Args& p) {
    const double elements = static_cast<double>(p.shape.elements());
    const double bytes = element_bytes(p.dtype);
    return {.flops = elements,
            .read = bytes * elements,
            .write = bytes * static_cast<double>(p.shape.results())};
  }

  // All partial sums are exact in fp32, in whatever order (see values()), and y is rounded once, as
  // the reference is. So nothing is allowed, and in fp32 one element more or less shows.
  static wb::Tolerance tolerance(const Args&) { return {}; }

  // In double, in the order of memory: one element after the other, each to its place.
  static void reference(const Args& p) {
    wb::with_dtype(p.dtype, [&](auto zero) {
      using T = decltype(zero);
      const Shape& s = p.shape;
      std::vector<double> sum(s.results());
      wb::i64 at[kMostAxes] = {}, step[kMostAxes], apart = 1, to = 0;
      for (int a = s.rank - 1; a >= 0; --a) {
        step[a] = s.reduced[a] ? 0 : apart;
        apart *= s.reduced[a] ? 1 : s.size[a];
      }
      for (wb::i64 i = 0; i < s.elements(); ++i) {
        sum[to] += static_cast<double>(static_cast<const T*>(p.x)[i]);
        for (int a = s.rank - 1; a >= 0; --a) {
          to += step[a];
          if (++at[a] < s.size[a]) break;
          to -= step[a] * s.size[a], at[a] = 0;
        }
      }
      for (wb::i64 i = 0; i < s.results(); ++i) static_cast<T*>(p.y)[i] = static_cast<T>(sum[i]);
    });
  }
};
