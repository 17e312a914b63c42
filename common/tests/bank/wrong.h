// z = a*x + y and y += 1: one input, one output, one array that is both. Every way in which a
// variant can be wrong is tried on it (values.h, dishonest, late), and each must be caught.
#pragma once

#include "bank/bank.h"

struct Wrong {
  static constexpr wb::Case bench[] = {{{"n", 1 << 16}}};
  static constexpr wb::Case test[] = {
      {{"n", 1}}, {{"n", 31}}, {{"n", 33}}, {{"n", 4097}}, {{"n", 100'003}}};
  struct Args {
    wb::i64 n;
    float a;
    const float* x;
    float* y;
    float* z;
    wb::i64 elements() const { return n; }
  };
  static Args bind(wb::Binder& io, const wb::Case& s) {
    return {s["n"], 2.5f, io.in<float>("x", s["n"]), io.inout<float>("y", s["n"]),
            io.out<float>("z", s["n"])};
  }
  static wb::Cost cost(const Args& p) {
    return {.flops = 3.0 * p.n, .read = 8.0 * p.n, .write = 8.0 * p.n};
  }
  static wb::Tolerance tolerance(const Args&) { return {.rel = 1e-6, .abs = 1e-6}; }
  static void reference(const Args& p) {
    for (wb::i64 i = 0; i < p.n; ++i) {
      p.z[i] = static_cast<float>(double(p.a) * p.x[i] + p.y[i]);
      p.y[i] = static_cast<float>(double(p.y[i]) + 1);
    }
  }

  // What is right, for one element.
  static WB_ANYWHERE void element(const Args& p, wb::i64 i) {
    p.z[i] = p.a * p.x[i] + p.y[i];
    p.y[i] += 1;
  }
};
