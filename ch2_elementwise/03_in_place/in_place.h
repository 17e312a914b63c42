// Calls of the same function on an array of floats, each on the result of the one before: leaky
// ReLU, which halves negative values. In a network there are other layers between the calls; here
// the calls alone are timed. The question is where a call leaves its result.
//
// The problem needs one array read and one written, and lesson 04_fusion gets there by making one
// pass of several. Here a call stays a call, as if a library made it: it reads an array and writes
// an array.
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
  static constexpr const char* case_names[] = {"{rows} x {columns}"};
  static constexpr wb::Case bench[] = {
      {{"size", "xlarge"}, {"rows", 8192}, {"columns", 8192}, {"calls", 8}},
      {{"size", "medium"}, {"rows", 4096}, {"columns", 2048}, {"calls", 8}},
      {{"size", "medium"}, {"rows", 2048}, {"columns", 2048}, {"calls", 8}},
      {{"size", "small"}, {"rows", 512}, {"columns", 512}, {"calls", 8}}};
  // From 32 MiB on the C library always asks the system for fresh pages.
  static constexpr wb::Case bench_cpu[] = {
      {{"size", "large"}, {"rows", 4096}, {"columns", 4096}, {"calls", 8}},
      {{"size", "medium"}, {"rows", 2048}, {"columns", 2048}, {"calls", 8}},
      {{"size", "small"}, {"rows", 512}, {"columns", 512}, {"calls", 8}}};
  static constexpr wb::Sweep sweeps[] = {{"rows", 16, 8192, wb::Show::item}};
  static constexpr wb::Sweep sweeps_cpu[] = {{"rows", 16, 4096, wb::Show::item, 4}};
  static constexpr wb::Case test[] = {{{"rows", 0}, {"columns", 5}, {"calls", 3}},
                                      {{"rows", 1}, {"columns", 1}, {"calls", 1}},
                                      {{"rows", 1}, {"columns", 1}, {"calls", 2}},
                                      {{"rows", 1}, {"columns", 31}, {"calls", 3}},
                                      {{"rows", 3}, {"columns", 11}, {"calls", 4}},
                                      {{"rows", 1}, {"columns", 127}, {"calls", 5}},
                                      {{"rows", 3}, {"columns", 43}, {"calls", 8}},
                                      {{"rows", 128}, {"columns", 32}, {"calls", 7}},
                                      {{"rows", 127}, {"columns", 129}, {"calls", 2}},
                                      {{"rows", 1}, {"columns", 100'003}, {"calls", 3}},
                                      {{"rows", 512}, {"columns", 512}, {"calls", 4}},
                                      {{"rows", 1031}, {"columns", 2063}, {"calls", 2}}};

  struct Args {
    wb::i64 count;   // rows * columns
    int calls;       // at least 1
    const float* x;  // count
    float* y;        // count: what the last call leaves
  };

  static Args bind(wb::Binder& io, const wb::Case& c) {
    const wb::i64 count = c["rows"] * c["columns"];
    return {count, calls(c), io.in<float>("x", count), io.out<float>("y", count)};
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

 protected:
  static int calls(const wb::Case& c) {
    if (c.word("profile") == std::string_view("denormal"))
      throw wb::Unsupported("a power of two times these is not exact");
    if (c["calls"] < 1) throw wb::Unsupported("there must be at least one call");
    return static_cast<int>(c["calls"]);
  }
};

// The same where no later code needs the input: the result overwrites it, and x is y. The harness
// puts the input back before each launch; that is not timed.
struct Overwriting : InPlace {
  static Args bind(wb::Binder& io, const wb::Case& c) {
    Args p = {c["rows"] * c["columns"], calls(c), nullptr, nullptr};
    p.x = p.y = io.inout<float>("x", p.count);
    return p;
  }
};

// For the exercise: each call also reverses the array, the last element first.
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
