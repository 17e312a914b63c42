// y = 2x, chunk by chunk through two buffers: the smallest pipeline that can have a race.
#pragma once

#include "wb/problem.h"

struct Pipeline {
  static constexpr wb::Clock clock = wb::Clock::wall;
  static constexpr wb::Case bench[] = {{{"n", 1 << 16}}};
  static constexpr wb::Case test[] = {{{"n", 1 << 16}}};
  static constexpr wb::i64 kChunk = 1 << 12;
  struct Args {
    wb::i64 n;  // a multiple of kChunk
    const float* x;
    float* y;  // both in pinned host memory on CUDA
  };
  static Args bind(wb::Binder& io, const wb::Case& s) {
    return {s["n"], io.in<float>("x", s["n"], {}, wb::Space::pinned),
            io.out<float>("y", s["n"], wb::Space::pinned)};
  }
  static wb::Cost cost(const Args& p) { return {.flops = 1.0 * p.n}; }
  static wb::Tolerance tolerance(const Args&) { return {}; }
  static void reference(const Args& p) {
    for (wb::i64 i = 0; i < p.n; ++i) p.y[i] = 2 * p.x[i];
  }
};
