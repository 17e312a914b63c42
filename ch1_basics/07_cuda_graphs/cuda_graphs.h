// Smoke in a ring-shaped tunnel: with each step the wind carries it on by 3/8 of a point and it
// spreads a little. A point needs its neighbours of the step before, so no step can start before
// the last is done, and a step is all of the parallelism there is. A few thousand points are about
// a microsecond of work: what does it cost to start a step?
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "wb/problem.h"

template <class T> constexpr T next(T left, T here, T right) {
  return T(0.5) * left + T(0.375) * here + T(0.125) * right;
}

struct CudaGraphs {
  static constexpr wb::Clock clock = wb::Clock::wall;
  // First so few points that starting a step outlasts the step, then so many that it does not.
  static constexpr wb::Case bench[] = {{{"points", 1 << 12}, {"steps", 200}},
                                       {{"points", 1 << 22}, {"steps", 200}}};
  static constexpr wb::Case bench_cpu[] = {{{"points", 1 << 14}, {"steps", 200}},
                                           {{"points", 1 << 20}, {"steps", 200}}};
  static constexpr wb::Case test[] = {
      {{"points", 1}, {"steps", 1}},       {{"points", 2}, {"steps", 3}},
      {{"points", 31}, {"steps", 41}},     {{"points", 33}, {"steps", 2}},
      {{"points", 127}, {"steps", 43}},    {{"points", 1009}, {"steps", 27}},
      {{"points", 10'007}, {"steps", 83}}, {{"points", 300'007}, {"steps", 3}},
      {{"points", 0}, {"steps", 5}}};
  static constexpr wb::Sweep sweeps[] = {{"steps", 1, 1024, wb::Show::item},
                                         {"points", 1 << 8, 1 << 22, wb::Show::item, 4}};
  static constexpr wb::Sweep sweeps_cpu[] = {{"steps", 1, 1024, wb::Show::item},
                                             {"points", 1 << 8, 1 << 20, wb::Show::item, 4}};

  struct Args {
    wb::i64 points, steps;
    const float* start;
    float* result;  // all steps later

    // Passes take turns between two arrays, such that the last one ends in `result`.
    float* target(wb::i64 pass, wb::i64 passes, float* scratch) const {
      return (passes - 1 - pass) % 2 == 0 ? result : scratch;
    }
    const float* source(wb::i64 pass, wb::i64 passes, float* scratch) const {
      return pass == 0 ? start : target(pass - 1, passes, scratch);
    }
  };

  static Args bind(wb::Binder& io, const wb::Case& c) {
    const wb::i64 points = c["points"];
    return {points, std::max<wb::i64>(c["steps"], 1), io.in<float>("start", points),
            io.out<float>("result", points)};
  }

  // The values between two steps need not reach memory, so they do not count.
  static wb::Cost cost(const Args& p) {
    return {.flops = 5.0 * p.points * p.steps, .read = 4.0 * p.points, .write = 4.0 * p.points};
  }
  static wb::Items items(const Args& p) { return {static_cast<double>(p.steps), "step"}; }

  // A step rounds one product (the two others are exact) and two sums, none larger than 1, so it
  // adds at most 3 * 2^-24. Its weights add up to 1: errors of the steps before are averaged.
  static wb::Tolerance tolerance(const Args& p) {
    return {.abs = 3.0 * static_cast<double>(p.steps) * 0x1p-24};
  }

  static void reference(const Args& p) {
    simulate(p, [](wb::i64, double) {});
  }

 protected:
  template <class After> static void simulate(const Args& p, After after) {  // each step
    if (p.points == 0) return;
    std::vector<double> now(p.start, p.start + p.points), then(p.points);
    for (wb::i64 step = 0; step < p.steps; ++step) {
      for (wb::i64 i = 1; i + 1 < p.points; ++i) then[i] = next(now[i - 1], now[i], now[i + 1]);
      for (const wb::i64 i : {wb::i64{0}, p.points - 1})
        then[i] = next(now[(i + p.points - 1) % p.points], now[i], now[(i + 1) % p.points]);
      std::swap(now, then);
      after(step, now[0]);
    }
    for (wb::i64 i = 0; i < p.points; ++i) p.result[i] = static_cast<float>(now[i]);
  }
};

// The exercise on a GPU: the smoke to start from has arrived in one of two arrays, so that the next
// can arrive while this one is in use. A word in host memory says in which.
struct Arriving : CudaGraphs {
  struct Args : CudaGraphs::Args {
    const float* other;         // points
    const std::int32_t* which;  // one: 0 for `start`, 1 for `other`; pinned host memory
    const float* arrived() const { return *which ? other : start; }
  };
  static Args bind(wb::Binder& io, const wb::Case& c) {
    const CudaGraphs::Args p = CudaGraphs::bind(io, c);
    const auto coin = [](wb::i64, std::uint64_t seed) { return wb::uniform(seed ^ 1, 0) < 0; };
    return {p, io.in<float>("other", p.points),
            io.in<std::int32_t>("which", 1, coin, wb::Space::pinned)};
  }
  static void reference(const Args& p) {
    CudaGraphs::Args now = p;
    now.start = p.arrived();
    CudaGraphs::reference(now);
  }
};

// The exercise on a CPU: a sensor at point 0 is read after each step.
struct Sensed : CudaGraphs {
  struct Args : CudaGraphs::Args {
    float* sensed;  // steps
  };
  static Args bind(wb::Binder& io, const wb::Case& c) {
    const CudaGraphs::Args p = CudaGraphs::bind(io, c);
    return {p, io.out<float>("sensed", p.points ? p.steps : 0)};
  }
  static void reference(const Args& p) {
    simulate(p, [&](wb::i64 step, double first) { p.sensed[step] = static_cast<float>(first); });
  }
};
