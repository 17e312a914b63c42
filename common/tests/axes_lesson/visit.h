// A lesson with axes that no other has, of words and of numbers: y[i] = 2 x[place of i], visiting n
// elements `forward` or `backward` and `stride` apart. axes_test.cpp shows that nothing outside
// this folder has to know of them.
#pragma once

#include <string_view>

#include "wb/problem.h"
#include "wb/variant.h"

struct Visit {
  static constexpr const char* case_names[] = {"{elements} elements {order}"};
  static constexpr wb::Case bench[] = {
      {{"size", "small"}, {"order", "forward"}, {"elements", 1000}, {"stride", 7}},
      {{"size", "small"}, {"order", "backward"}, {"elements", 1000}, {"stride", 7}},
      {{"size", "large"}, {"order", "forward"}, {"elements", 5000}, {"stride", 1}}};
  static constexpr wb::Case test[] = {{{"order", "forward"}, {"elements", 0}, {"stride", 1}},
                                      {{"order", "backward"}, {"elements", 33}, {"stride", 2}},
                                      {{"order", "1,0"}, {"elements", 31}, {"stride", 3}}};
  static constexpr wb::Sweep sweeps[] = {{"stride", 1, 9, wb::Show::bandwidth, 3}};
  static constexpr const char* any_word[] = {"order"};

  struct Args {
    wb::i64 n, stride;  // all of 0 .. n - 1 are visited
    bool backward, deadly;
    const float* x;
    float* y;
    wb::i64 place(wb::i64 i) const { return (backward ? n - 1 - i : i) * stride; }
  };

  static Args bind(wb::Binder& io, const wb::Case& c) {
    const std::string_view order = c.word("order");
    if (order != "forward" && order != "backward" && order != "1,0" && order != "deadly")
      throw wb::Unsupported("there is no order " + std::string(order));
    const wb::i64 n = c["elements"], stride = c["stride"];
    const bool deadly = order == "deadly" && stride == 9;
    return {n,
            stride,
            order != "forward",
            deadly,
            io.in<float>("x", n * stride),
            io.out<float>("y", n)};
  }
  static wb::Cost cost(const Args& p) {
    return {.flops = 1.0 * p.n, .read = 4.0 * p.n, .write = 4.0 * p.n};
  }
  static wb::Tolerance tolerance(const Args&) { return {}; }
  static void reference(const Args& p) {
    for (wb::i64 i = 0; i < p.n; ++i) p.y[i] = 2 * p.x[p.place(i)];
  }
};
