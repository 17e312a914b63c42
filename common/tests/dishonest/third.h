// A lesson whose exercise does not play by the rules: y = x / 3, rounded.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "wb/cpu.h"

struct Third {
  static constexpr wb::Case bench[] = {{{"elements", 1 << 19}}};
  static constexpr wb::Case test[] = {{{"elements", 3}}, {{"elements", 64}}, {{"elements", 1000}}};
  struct Args {
    wb::i64 n;
    const float* x;
    float* y;
  };
  static inline wb::i64 more = 0;  // elements that an exercise asks for
  static Args bind(wb::Binder& io, const wb::Case& c) {
    const wb::i64 n = c["elements"];
    const wb::Fill fill = [](wb::i64 i, std::uint64_t seed) { return wb::uniform(seed, i); };
    const bool filled = std::getenv("WB_FILLED");
    return {n, io.in<float>("x", n, filled ? fill : wb::Fill{}), io.out<float>("y", n + more)};
  }
  static wb::Cost cost(const Args& p) { return {.read = 4.0 * p.n, .write = 4.0 * p.n}; }
  static wb::Tolerance tolerance(const Args&) { return {}; }
  static void reference(const Args& p) {
    for (wb::i64 i = 0; i < p.n; ++i) p.y[i] = p.x[i] / 3;
  }
  static void as_a_lesson(const Args& p) {  // its variants may wait, as for a thread that works
    const char* trick = std::getenv("WB_DISHONEST");
    if (trick && std::string_view(trick) == "the lesson waits") ::usleep(2000);
    reference(p);
  }
};
