// y = 2 x over n numbers: what the tests of the engine tune.
#pragma once

#include "wb/problem.h"

struct Twice {
  static constexpr wb::Case bench[] = {{{"n", 1 << 20}}};
  static constexpr wb::Case test[] = {
      {{"n", 1}}, {{"n", 31}}, {{"n", 127}}, {{"n", 0}}, {{"n", 5}, {"other", 1}}};
  struct Args {
    wb::i64 n;
    bool other;  // a case whose space is another one
    const float* x;
    float* y;
  };
  static Args bind(wb::Binder& io, const wb::Case& c) {
    return {c["n"], c.get("other", 0) != 0, io.in<float>("x", c["n"]), io.out<float>("y", c["n"])};
  }
  static wb::Cost cost(const Args& p) {
    return {.flops = 1.0 * p.n, .read = 4.0 * p.n, .write = 4.0 * p.n};
  }
  static wb::Tolerance tolerance(const Args&) { return {}; }
  static void reference(const Args& p) {
    for (wb::i64 i = 0; i < p.n; ++i) p.y[i] = 2 * p.x[i];
  }
};
