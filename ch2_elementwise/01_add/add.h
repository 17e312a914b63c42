// z = x + y, element by element: one flop for three elements moved (12 bytes in fp32, 6 in the
// 16-bit types), so memory bandwidth decides, or the launch where there is little to move.
#pragma once

#include "wb/half.h"
#include "wb/variant.h"

// `data` from its `first` element on; null, which counts memory, stays null.
template <class T> T* starting_at(T* data, wb::i64 first) { return data ? data + first : data; }

struct Add {
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
      {{"size", "xlarge"}, {"dtype", "fp16"}, {"rows", 8192}, {"columns", 8192}},
      {{"size", "medium"}, {"dtype", "bf16"}, {"rows", 2048}, {"columns", 2048}},
      {{"size", "xlarge"}, {"dtype", "bf16"}, {"rows", 8192}, {"columns", 8192}}};
  static constexpr wb::Case bench_cpu[] = {
      {{"size", "large"}, {"dtype", "fp32"}, {"rows", 4096}, {"columns", 4096}},
      {{"size", "small"}, {"dtype", "fp32"}, {"rows", 512}, {"columns", 512}},
      {{"size", "medium"}, {"dtype", "fp32"}, {"rows", 2048}, {"columns", 2048}},
      {{"size", "large"}, {"dtype", "bf16"}, {"rows", 4096}, {"columns", 4096}}};
  static constexpr wb::Sweep sweeps[] = {{"rows", 2, 1 << 15, wb::Show::bandwidth}};
  static constexpr wb::Sweep sweeps_cpu[] = {{"rows", 2, 1 << 12, wb::Show::bandwidth}};
  // Which arrays start one element late, as a view may: 1 for x, 2 for y, 4 for z.
  static constexpr wb::Case test[] = {
      {{"dtype", "fp32"}, {"rows", 0}, {"columns", 5}},
      {{"dtype", "fp32"}, {"rows", 1}, {"columns", 1}},
      {{"dtype", "fp32"}, {"rows", 31}, {"columns", 1}},
      {{"dtype", "fp32"}, {"rows", 3}, {"columns", 11}},
      {{"dtype", "fp32"}, {"rows", 127}, {"columns", 1}},
      {{"dtype", "fp32"}, {"rows", 1}, {"columns", 129}},
      {{"dtype", "fp32"}, {"rows", 1}, {"columns", 100'003}},
      {{"dtype", "fp32"}, {"rows", 257}, {"columns", 129}},
      {{"dtype", "fp32"}, {"rows", 256}, {"columns", 256}},
      {{"dtype", "fp32"}, {"batch", 5}, {"rows", 33}, {"columns", 7}},
      {{"dtype", "fp32"}, {"rows", 2100}, {"columns", 2003}},
      {{"dtype", "fp32"}, {"rows", 1}, {"columns", 1}, {"late", 7}},
      {{"dtype", "fp32"}, {"rows", 129}, {"columns", 129}, {"late", 7}},
      {{"dtype", "fp32"}, {"rows", 127}, {"columns", 33}, {"late", 2}},
      {{"dtype", "fp32"}, {"rows", 31}, {"columns", 33}, {"late", 4}},
      {{"dtype", "fp16"}, {"rows", 1}, {"columns", 1}},
      {{"dtype", "fp16"}, {"rows", 1}, {"columns", 100'003}},
      {{"dtype", "fp16"}, {"rows", 129}, {"columns", 127}, {"late", 7}},
      {{"dtype", "fp16"}, {"rows", 1024}, {"columns", 2049}},
      {{"dtype", "bf16"}, {"rows", 31}, {"columns", 33}},
      {{"dtype", "bf16"}, {"rows", 1}, {"columns", 100'003}},
      {{"dtype", "bf16"}, {"rows", 129}, {"columns", 127}, {"late", 7}},
      {{"dtype", "bf16"}, {"rows", 127}, {"columns", 33}, {"late", 1}},
      {{"dtype", "bf16"}, {"rows", 1031}, {"columns", 2051}}};

  struct Args {
    const char* dtype;  // of the elements
    wb::i64 n;          // elements, batch * rows * columns of the case
    const void* x;
    const void* y;
    void* z;
  };

  static Args bind(wb::Binder& io, const wb::Case& c) {
    return wb::with_dtype(c.word("dtype"), [&](auto zero) -> Args {
      using T = decltype(zero);
      const wb::i64 n = elements(c);
      const wb::i64 late_x = late(c, 0), late_y = late(c, 1), late_z = late(c, 2);
      const T* x = starting_at(io.in<T>("x", n + late_x), late_x);
      const T* y = starting_at(io.in<T>("y", n + late_y), late_y);
      // An array with an element that no variant may write is an inout: it has to keep that
      // element.
      T* z = late_z ? starting_at(io.inout<T>("z", n + 1), 1) : io.out<T>("z", n);
      return {c.word("dtype"), n, x, y, z};
    });
  }

  static double element_bytes(const char* dtype) {
    return wb::with_dtype(dtype, [](auto zero) { return static_cast<double>(sizeof(zero)); });
  }

  static wb::Cost cost(const Args& p) {
    const double n = static_cast<double>(p.n), bytes = element_bytes(p.dtype);
    return {.flops = n, .read = 2 * bytes * n, .write = bytes * n};
  }

  // One addition, and it rounds once. The 16-bit types are added in fp32 and rounded a second time;
  // fp32 has more than twice their digits, so the second rounding gives what one alone would.
  static wb::Tolerance tolerance(const Args& p) {
    return wb::with_dtype(
        p.dtype, [](auto zero) -> wb::Tolerance { return {.rel = wb::kRounding<decltype(zero)>}; });
  }

  static void reference(const Args& p) {
    wb::with_dtype(p.dtype, [&](auto zero) {
      using T = decltype(zero);
      const T* x = static_cast<const T*>(p.x);
      const T* y = static_cast<const T*>(p.y);
      T* z = static_cast<T*>(p.z);
#pragma omp parallel for schedule(static) if (p.n > 65536)
      for (wb::i64 i = 0; i < p.n; ++i)
        z[i] = static_cast<T>(static_cast<double>(x[i]) + static_cast<double>(y[i]));
    });
  }

 protected:
  static wb::i64 elements(const wb::Case& c) {
    return c.get("batch", 1) * c["rows"] * c["columns"];
  }
  // Whether that array starts one element late.
  static wb::i64 late(const wb::Case& c, int array) { return c.get("late", 0) >> array & 1; }
};

// The exercise: y += a * x, in place. It moves as many bytes as z = x + y.
struct ScaledAdd : Add {
  struct Args {
    const char* dtype;
    wb::i64 n;
    float a;
    const void* x;
    void* y;
  };

  static Args bind(wb::Binder& io, const wb::Case& c) {
    return wb::with_dtype(c.word("dtype"), [&](auto zero) -> Args {
      using T = decltype(zero);
      const wb::i64 n = elements(c), late_x = late(c, 0), late_y = late(c, 1);
      const T* x = starting_at(io.in<T>("x", n + late_x), late_x);
      return {c.word("dtype"), n, 0.75f, x, starting_at(io.inout<T>("y", n + late_y), late_y)};
    });
  }

  static wb::Cost cost(const Args& p) {
    const double n = static_cast<double>(p.n), bytes = element_bytes(p.dtype);
    return {.flops = 2 * n, .read = 2 * bytes * n, .write = bytes * n};
  }

  // The product may be rounded before it is added (|a * x| < 1: half an ulp of fp32 is 2^-25), the
  // sum is rounded to fp32 (at most 2, so 2^-24), and the result to the type.
  static wb::Tolerance tolerance(const Args& p) {
    return wb::with_dtype(p.dtype, [](auto zero) -> wb::Tolerance {
      return {.rel = 2 * wb::kRounding<decltype(zero)>, .abs = 0x1p-24};
    });
  }

  static void reference(const Args& p) {
    wb::with_dtype(p.dtype, [&](auto zero) {
      using T = decltype(zero);
      const T* x = static_cast<const T*>(p.x);
      T* y = static_cast<T*>(p.y);
#pragma omp parallel for schedule(static) if (p.n > 65536)
      for (wb::i64 i = 0; i < p.n; ++i)
        y[i] = static_cast<T>(static_cast<double>(p.a) * static_cast<double>(x[i]) +
                              static_cast<double>(y[i]));
    });
  }
};
