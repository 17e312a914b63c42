// Smoke in a ring-shaped tunnel: with each step the wind carries it on by 3/8 of a point and it
// spreads a little. A point needs its neighbours of the step before, so no step can start before
// the last is done, and a step is all of the parallelism there is. A few thousand points are about
// a microsecond of work: what does it cost to start a step?
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "wb/problem.h"

template <class T> constexpr T next(T left, T here, T right) {
  return T(0.5) * left + T(0.375) * here + T(0.125) * right;
}

struct CudaGraphs {
  static constexpr wb::Clock clock = wb::Clock::wall;
  // n points, k steps. First so few points that starting a step outlasts the step, then so many
  // that it does not.
  static constexpr wb::Shape bench[] = {{.n = 1 << 12, .k = 200}, {.n = 1 << 22, .k = 200}};
  static constexpr wb::Shape bench_cpu[] = {{.n = 1 << 14, .k = 200}, {.n = 1 << 20, .k = 200}};
  static constexpr wb::Shape test[] = {
      {.n = 1, .k = 1},       {.n = 2, .k = 3},       {.n = 31, .k = 41},
      {.n = 33, .k = 2},      {.n = 127, .k = 43},    {.n = 1009, .k = 27},
      {.n = 10'007, .k = 83}, {.n = 300'007, .k = 3}, {.n = 0, .k = 5}};
  static constexpr wb::Sweep sweeps[] = {
      {"steps", &wb::Shape::k, 1, 1024, wb::Show::item},
      {"points", &wb::Shape::n, 1 << 8, 1 << 22, wb::Show::item, 4}};
  static constexpr wb::Sweep sweeps_cpu[] = {
      {"steps", &wb::Shape::k, 1, 1024, wb::Show::item},
      {"points", &wb::Shape::n, 1 << 8, 1 << 20, wb::Show::item, 4}};

  struct Args {
    wb::i64 n, k;
    const float* start;  // n points
    float* result;       // n points, k steps later

    // Passes take turns between two arrays, such that the last one ends in `result`.
    float* target(wb::i64 pass, wb::i64 passes, float* scratch) const {
      return (passes - 1 - pass) % 2 == 0 ? result : scratch;
    }
    const float* source(wb::i64 pass, wb::i64 passes, float* scratch) const {
      return pass == 0 ? start : target(pass - 1, passes, scratch);
    }
  };

  static Args bind(wb::Binder& io, const wb::Shape& s) {
    return {s.n, std::max<wb::i64>(s.k, 1), io.in<float>("start", s.n),
            io.out<float>("result", s.n)};
  }

  // What lies between two steps need not reach memory, so it does not count.
  static wb::Cost cost(const Args& p) {
    return {.flops = 5.0 * p.n * p.k, .read = 4.0 * p.n, .write = 4.0 * p.n};
  }
  static wb::Items items(const Args& p) { return {static_cast<double>(p.k), "step"}; }

  // A step rounds one product (the two others are exact) and two sums, none larger than 1, so it
  // adds at most 3 * 2^-24. Its weights add up to 1: errors of the steps before are averaged.
  static wb::Tolerance tolerance(const Args& p) {
    return {.abs = 3.0 * static_cast<double>(p.k) * 0x1p-24};
  }

  static void reference(const Args& p) {
    if (p.n == 0) return;
    std::vector<double> now(p.start, p.start + p.n), then(p.n);
    for (wb::i64 step = 0; step < p.k; ++step) {
      for (wb::i64 i = 1; i + 1 < p.n; ++i) then[i] = next(now[i - 1], now[i], now[i + 1]);
      for (const wb::i64 i : {wb::i64{0}, p.n - 1})
        then[i] = next(now[(i + p.n - 1) % p.n], now[i], now[(i + 1) % p.n]);
      std::swap(now, then);
    }
    for (wb::i64 i = 0; i < p.n; ++i) p.result[i] = static_cast<float>(now[i]);
  }
};
