// Dropout: y = keep ? x / (1 - p) : 0, where each element is dropped with probability p. The
// backward pass is the same function of another array, dx = keep ? dy / (1 - p) : 0, with the same
// mask. One read and one write per element, if the mask is not stored.
//
// The mask is part of the problem, so that every answer can be checked element by element: it comes
// from Philox4x32-10 with the seed as key, and depends on nothing else, neither on the grid nor on
// the number of threads.
#pragma once

#include <cmath>
#include <stdexcept>

#include "philox.h"
#include "wb/half.h"
#include "wb/problem.h"
#include "wb/variant.h"

constexpr wb::Case square(const char* size, const char* op, const char* dtype, wb::i64 side,
                          wb::i64 percent) {
  return {{"size", size}, {"op", op},        {"dtype", dtype},
          {"rows", side}, {"columns", side}, {"percent", percent}};
}

// Element i is dropped if word i % 4 of call i / 4 is below p * 2^32.
struct Dropout {
  // `percent` is p. PyTorch's dropout also writes a mask of one byte per element.
  static constexpr const char* case_names[] = {
      "{op}, {batch} x {rows} x {columns}, {dtype}, {percent} % dropped",
      "{op}, {rows} x {columns}, {dtype}, {percent} % dropped"};
  static constexpr wb::Case bench[] = {
      square("xlarge", "forward", "fp32", 8192, 50),
      square("xlarge", "backward", "fp32", 8192, 10),
      square("xlarge", "forward", "bf16", 8192, 50),
      square("xlarge", "backward", "bf16", 8192, 10),
      square("xlarge", "forward", "fp32", 16384, 50),
      square("large", "forward", "fp32", 4096, 50),
      square("large", "forward", "bf16", 4096, 50),
      square("medium", "forward", "fp32", 2048, 50),
      square("small", "forward", "fp32", 256, 50),
      {{"size", "batch"},
       {"op", "forward"},
       {"dtype", "fp32"},
       {"batch", 64},
       {"rows", 512},
       {"columns", 512},
       {"percent", 50}},
  };
  static constexpr wb::Case bench_cpu[] = {
      square("medium", "forward", "fp32", 2048, 50),
      square("medium", "backward", "bf16", 2048, 10),
      square("small", "forward", "fp32", 512, 50),
      square("large", "backward", "fp32", 4096, 10),
  };
  static constexpr wb::Sweep sweeps[] = {
      {"rows", 1 << 3, 1 << 15, wb::Show::bandwidth, /*factor=*/4}};
  static constexpr wb::Sweep sweeps_cpu[] = {
      {"rows", 1 << 3, 1 << 13, wb::Show::bandwidth, /*factor=*/4}};
  static constexpr wb::Case test[] = {
      {{"op", "forward"}, {"dtype", "fp32"}, {"rows", 0}, {"columns", 5}, {"percent", 50}},
      // Nothing is dropped.
      {{"op", "forward"}, {"dtype", "fp32"}, {"rows", 3}, {"columns", 11}, {"percent", 0}},
      {{"op", "forward"}, {"dtype", "fp32"}, {"rows", 31}, {"columns", 1}, {"percent", 50}},
      {{"op", "forward"}, {"dtype", "bf16"}, {"rows", 33}, {"columns", 1}, {"percent", 10}},
      {{"op", "backward"}, {"dtype", "fp16"}, {"rows", 127}, {"columns", 1}, {"percent", 99}},
      {{"op", "backward"}, {"dtype", "bf16"}, {"rows", 43}, {"columns", 3}, {"percent", 50}},
      {{"op", "backward"}, {"dtype", "fp32"}, {"rows", 317}, {"columns", 331}, {"percent", 10}},
      {{"op", "forward"},
       {"dtype", "fp16"},
       {"batch", 3},
       {"rows", 31},
       {"columns", 33},
       {"percent", 50}},
      {{"op", "forward"}, {"dtype", "fp32"}, {"rows", 1451}, {"columns", 1447}, {"percent", 50}},
      {{"op", "forward"}, {"dtype", "bf16"}, {"rows", 2063}, {"columns", 2053}, {"percent", 10}},
      // One row: not at a 16-byte boundary.
      {{"op", "forward"}, {"dtype", "fp32"}, {"rows", 1}, {"columns", 1}, {"percent", 50}},
      {{"op", "forward"}, {"dtype", "bf16"}, {"rows", 1}, {"columns", 31}, {"percent", 10}},
      {{"op", "forward"}, {"dtype", "fp16"}, {"rows", 1}, {"columns", 33}, {"percent", 50}},
      {{"op", "backward"}, {"dtype", "fp32"}, {"rows", 1}, {"columns", 129}, {"percent", 50}},
      {{"op", "forward"}, {"dtype", "fp32"}, {"rows", 1}, {"columns", 100'003}, {"percent", 10}},
      {{"op", "backward"}, {"dtype", "bf16"}, {"rows", 1}, {"columns", 100'003}, {"percent", 50}},
  };

  struct Args {
    wb::i64 n;                // elements
    const char* dtype;        // fp32, fp16 or bf16
    const void* x;            // n, in [-1, 1)
    void* y;                  // n
    std::uint64_t seed;       // the generator's key
    std::uint32_t threshold;  // dropped if the random number is below it
    double scale;             // 1 / (1 - p), for the p that the threshold stands for
  };

  static Args bind(wb::Binder& io, const wb::Case& c) { return bind(io, c, 32); }

  static wb::Cost cost(const Args& p) {
    const double bytes = element_size(p) * p.n;
    return {.flops = 1.0 * p.n, .read = bytes, .write = bytes};
  }

  // scale and the product are rounded to fp32. Before the rounding to a 16-bit type that can make
  // the difference of one unit in the last place, twice what rounding costs. fp16 has subnormal
  // numbers, multiples of 2^-24, within reach of x.
  static wb::Tolerance tolerance(const Args& p) {
    return wb::with_dtype(p.dtype, [](auto zero) -> wb::Tolerance {
      using T = decltype(zero);
      return {.rel = 2 * wb::kRounding<T> + 2 * 0x1p-24,
              .abs = std::is_same_v<T, wb::half> ? 0x1p-24 : 0};
    });
  }

  static void reference(const Args& p) {
    apply(p, [&](wb::i64 i) { return random_words(p.seed, i / 4).word[i % 4] >= p.threshold; });
  }

 protected:
  static double element_size(const Args& p) {
    return wb::with_dtype(p.dtype, [](auto zero) { return sizeof(zero); });
  }

  // `bits`: size of a random number. The probability becomes a multiple of 2^-bits, and the scale
  // goes by that one, so that the mean of y is the mean of x.
  static Args bind(wb::Binder& io, const wb::Case& c, int bits) {
    const wb::i64 percent = c["percent"];
    if (percent < 0 || percent > 99) throw wb::Unsupported("percent goes from 0 to 99");
    const wb::i64 n = c.get("batch", 1) * c["rows"] * c["columns"];
    // A single row is a part of a larger array: it starts at element 1.
    const wb::i64 skip = c["rows"] == 1 ? 1 : 0;
    const double range = std::ldexp(1.0, bits), below = std::round(percent / 100.0 * range);
    Args p{n,
           c.word("dtype"),
           nullptr,
           nullptr,
           0x0123'4567'89AB'CDEF,
           static_cast<std::uint32_t>(below),
           range / (range - below)};
    const bool backward = std::string_view(c.word("op")) == "backward";
    const char *in = backward ? "dy" : "x", *out = backward ? "dx" : "y";
    wb::with_dtype(p.dtype, [&](auto zero) {
      using T = decltype(zero);
      p.x = io.in<T>(in, n + skip) + skip;
      p.y = skip ? io.inout<T>(out, n + skip) + skip : io.out<T>(out, n);
    });
    return p;
  }

  // keep(i) is the mask. Refuses one whose rate is not 1 - p within five standard deviations.
  template <class Keep> static void apply(const Args& p, Keep keep) {
    wb::i64 kept = 0;
    wb::with_dtype(p.dtype, [&](auto zero) {
      using T = decltype(zero);
      const T* x = static_cast<const T*>(p.x);
      T* y = static_cast<T*>(p.y);
#pragma omp parallel for reduction(+ : kept) if (p.n > 65536)
      for (wb::i64 i = 0; i < p.n; ++i) {
        const bool stays = keep(i);
        kept += stays;
        y[i] = static_cast<T>(stays ? p.scale * static_cast<double>(x[i]) : 0.0);
      }
    });
    const double rate = 1 / p.scale, sigma = std::sqrt(p.n * rate * (1 - rate));
    if (std::abs(kept - p.n * rate) > 5 * sigma)
      throw std::runtime_error("the mask's rate is not the one asked for");
  }
};

// Element i is dropped if 16-bit piece i % 8 of call i / 8 is below p * 2^16: half the calls, and p
// is met to within 2^-17. Pieces count from the lower half of the first word.
struct SixteenBits : Dropout {
  static Args bind(wb::Binder& io, const wb::Case& c) { return Dropout::bind(io, c, 16); }
  static void reference(const Args& p) {
    apply(p, [&](wb::i64 i) {
      const std::uint32_t word = random_words(p.seed, i / 8).word[i % 8 / 2];
      return (i % 2 ? word >> 16 : word & 0xFFFF) >= p.threshold;
    });
  }
};
