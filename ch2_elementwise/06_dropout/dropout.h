// Dropout: y = keep ? x / (1 - p) : 0, where each element is dropped with probability p. The
// backward pass is the same function of another array, dx = keep ? dy / (1 - p) : 0, with the same
// mask. One read and one write an element, if nobody stores the mask.
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

// Element i is dropped if word i % 4 of call i / 4 is below p * 2^32.
struct Dropout {
  // k is p in per cent. PyTorch's dropout writes a mask of one byte an element besides.
  static constexpr wb::Shape bench[] = {
      {.m = 8192, .n = 8192, .k = 50, .size = "xlarge", .dtype = "fp32", .op = "forward"},
      {.m = 8192, .n = 8192, .k = 10, .size = "xlarge", .dtype = "fp32", .op = "backward"},
      {.m = 8192, .n = 8192, .k = 50, .size = "xlarge", .dtype = "bf16", .op = "forward"},
      {.m = 8192, .n = 8192, .k = 10, .size = "xlarge", .dtype = "bf16", .op = "backward"},
      {.m = 16384, .n = 16384, .k = 50, .size = "xlarge", .dtype = "fp32", .op = "forward"},
      {.m = 4096, .n = 4096, .k = 50, .size = "large", .dtype = "fp32", .op = "forward"},
      {.m = 4096, .n = 4096, .k = 50, .size = "large", .dtype = "bf16", .op = "forward"},
      {.m = 2048, .n = 2048, .k = 50, .size = "medium", .dtype = "fp32", .op = "forward"},
      {.m = 256, .n = 256, .k = 50, .size = "small", .dtype = "fp32", .op = "forward"},
      {.m = 512, .n = 512, .k = 50, .batch = 64, .size = "batch", .dtype = "fp32", .op = "forward"},
  };
  static constexpr wb::Shape bench_cpu[] = {
      {.m = 2048, .n = 2048, .k = 50, .size = "medium", .dtype = "fp32", .op = "forward"},
      {.m = 2048, .n = 2048, .k = 10, .size = "medium", .dtype = "bf16", .op = "backward"},
      {.m = 512, .n = 512, .k = 50, .size = "small", .dtype = "fp32", .op = "forward"},
      {.m = 4096, .n = 4096, .k = 10, .size = "large", .dtype = "fp32", .op = "backward"},
  };
  static constexpr wb::Sweep sweeps[] = {
      {"rows", &wb::Shape::m, 1 << 3, 1 << 15, wb::Show::bandwidth, /*factor=*/4}};
  static constexpr wb::Sweep sweeps_cpu[] = {
      {"rows", &wb::Shape::m, 1 << 3, 1 << 13, wb::Show::bandwidth, /*factor=*/4}};
  static constexpr wb::Shape test[] = {
      {.m = 0, .n = 5, .k = 50, .dtype = "fp32", .op = "forward"},
      {.m = 3, .n = 11, .dtype = "fp32", .op = "forward"},  // p = 0: nothing is dropped
      {.m = 31, .n = 1, .k = 50, .dtype = "fp32", .op = "forward"},
      {.m = 33, .n = 1, .k = 10, .dtype = "bf16", .op = "forward"},
      {.m = 127, .n = 1, .k = 99, .dtype = "fp16", .op = "backward"},
      {.m = 43, .n = 3, .k = 50, .dtype = "bf16", .op = "backward"},
      {.m = 317, .n = 331, .k = 10, .dtype = "fp32", .op = "backward"},
      {.m = 31, .n = 33, .k = 50, .batch = 3, .dtype = "fp16", .op = "forward"},
      {.m = 1451, .n = 1447, .k = 50, .dtype = "fp32", .op = "forward"},
      {.m = 2063, .n = 2053, .k = 10, .dtype = "bf16", .op = "forward"},
      // m = 1: not at a 16-byte boundary
      {.m = 1, .n = 1, .k = 50, .dtype = "fp32", .op = "forward"},
      {.m = 1, .n = 31, .k = 10, .dtype = "bf16", .op = "forward"},
      {.m = 1, .n = 33, .k = 50, .dtype = "fp16", .op = "forward"},
      {.m = 1, .n = 129, .k = 50, .dtype = "fp32", .op = "backward"},
      {.m = 1, .n = 100'003, .k = 10, .dtype = "fp32", .op = "forward"},
      {.m = 1, .n = 100'003, .k = 50, .dtype = "bf16", .op = "backward"},
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

  static Args bind(wb::Binder& io, const wb::Shape& s) { return bind(io, s, 32); }

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
  static Args bind(wb::Binder& io, const wb::Shape& s, int bits) {
    if (s.k < 0 || s.k > 99) throw wb::Unsupported("k, the per cent dropped, goes from 0 to 99");
    const wb::i64 n = s.m * s.n * (s.batch ? s.batch : 1);
    // A single row comes out of a larger array: it starts one element behind its beginning.
    const wb::i64 skip = s.m == 1 ? 1 : 0;
    const double range = std::ldexp(1.0, bits), below = std::round(s.k / 100.0 * range);
    Args p{n,
           s.dtype,
           nullptr,
           nullptr,
           0x0123'4567'89AB'CDEF,
           static_cast<std::uint32_t>(below),
           range / (range - below)};
    const bool backward = std::string_view(s.op) == "backward";
    const char *in = backward ? "dy" : "x", *out = backward ? "dx" : "y";
    wb::with_dtype(s.dtype, [&](auto zero) {
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
  static Args bind(wb::Binder& io, const wb::Shape& s) { return Dropout::bind(io, s, 16); }
  static void reference(const Args& p) {
    apply(p, [&](wb::i64 i) {
      const std::uint32_t word = random_words(p.seed, i / 8).word[i % 8 / 2];
      return (i % 2 ? word >> 16 : word & 0xFFFF) >= p.threshold;
    });
  }
};
