// k calls of the same function on an array of m x n floats, each on what the one before has
// returned: leaky ReLU, which halves what is negative. In a network other layers stand between the
// calls; here the calls alone are timed. The question is where a call leaves its result.
//
// What the problem needs is one array read and one written, and lesson 04_fusion gets there by
// making one pass of several. Here a call is a call, somebody else's function: it reads an array
// and writes an array.
#pragma once

#include "wb/problem.h"
#include "wb/variant.h"

// Halving is exact, so nothing is rounded anywhere. NaN stays NaN.
template <class T> constexpr T leaky_relu(T x) { return x < 0 ? x * T(0.5) : x; }

struct InPlace {
  // Allocation and waiting are work of the host.
  static constexpr wb::Clock clock = wb::Clock::wall;
  // 1 MiB, where launches decide; 16 MiB; 32 MiB, of which one but not two fit into an H200's L2
  // cache; 256 MiB.
  static constexpr wb::Shape bench[] = {{.m = 8192, .n = 8192, .k = 8, .size = "xlarge"},
                                        {.m = 4096, .n = 2048, .k = 8, .size = "medium"},
                                        {.m = 2048, .n = 2048, .k = 8, .size = "medium"},
                                        {.m = 512, .n = 512, .k = 8, .size = "small"}};
  // From 32 MiB on the C library always asks the system for fresh pages.
  static constexpr wb::Shape bench_cpu[] = {{.m = 4096, .n = 4096, .k = 8, .size = "large"},
                                            {.m = 2048, .n = 2048, .k = 8, .size = "medium"},
                                            {.m = 512, .n = 512, .k = 8, .size = "small"}};
  static constexpr wb::Sweep sweeps[] = {{"rows", &wb::Shape::m, 16, 8192, wb::Show::item}};
  static constexpr wb::Sweep sweeps_cpu[] = {{"rows", &wb::Shape::m, 16, 4096, wb::Show::item, 4}};
  static constexpr wb::Shape test[] = {
      {.m = 0, .n = 5, .k = 3},       {.m = 1, .n = 1, .k = 1},     {.m = 1, .n = 1, .k = 2},
      {.m = 1, .n = 31, .k = 3},      {.m = 3, .n = 11, .k = 4},    {.m = 1, .n = 127, .k = 5},
      {.m = 3, .n = 43, .k = 8},      {.m = 128, .n = 32, .k = 7},  {.m = 127, .n = 129, .k = 2},
      {.m = 1, .n = 100'003, .k = 3}, {.m = 512, .n = 512, .k = 4}, {.m = 1031, .n = 2063, .k = 2}};

  struct Args {
    wb::i64 count;   // m x n
    int calls;       // at least 1
    const float* x;  // count
    float* y;        // count: what the last call leaves
  };

  static Args bind(wb::Binder& io, const wb::Shape& s) {
    if (s.k < 1) throw wb::Unsupported("k, the number of calls, must be at least 1");
    const wb::i64 count = s.m * s.n;
    return {count, static_cast<int>(s.k), io.in<float>("x", count), io.out<float>("y", count)};
  }

  static wb::Items items(const Args& p) { return {static_cast<double>(p.calls), "call"}; }

  static wb::Cost cost(const Args& p) {
    const double n = p.count;
    return {.flops = n * p.calls, .read = 4 * n, .write = 4 * n};
  }

  static wb::Tolerance tolerance(const Args&) { return {}; }  // exact

  static void reference(const Args& p) {
#ifdef _OPENMP
#pragma omp parallel for schedule(static) if (p.count > 65536)
#endif
    for (wb::i64 i = 0; i < p.count; ++i) {
      double value = p.x[i];
      for (int call = 0; call < p.calls; ++call) value = leaky_relu(value);
      p.y[i] = static_cast<float>(value);
    }
  }
};

// The same where nobody needs the input any more: the result takes its place, and x is y. The
// harness puts the input back before each launch; that is not timed.
struct Overwriting : InPlace {
  static Args bind(wb::Binder& io, const wb::Shape& s) {
    Args p = {s.m * s.n, static_cast<int>(s.k), nullptr, nullptr};
    if (s.k < 1) throw wb::Unsupported("k, the number of calls, must be at least 1");
    p.x = p.y = io.inout<float>("x", p.count);
    return p;
  }
};

// For the exercise: each call also turns the array round, the last element first.
struct Turning : Overwriting {
  static void reference(const Args& p) {
    InPlace::reference(p);
    if (p.calls % 2 == 0) return;
    for (wb::i64 i = 0; i < p.count / 2; ++i) {
      const float first = p.y[i];
      p.y[i] = p.y[p.count - 1 - i];
      p.y[p.count - 1 - i] = first;
    }
  }
};
