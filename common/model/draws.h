// How the harness changes one value of a problem's inputs: uniform() (wb/problem.h), from which all
// of them are drawn, gives another answer for one pair. Arrays that are drawn from the same pair
// change together.
#pragma once

#include <cstdint>

namespace wb {

struct Draw {
  std::uint64_t seed, index;
};

Draw last_draw();  // what this thread asked uniform() for last

// While it lives, for this pair the value lies so far away, between 0 and 2, in a range that begins
// again where it ends. One at a time.
class Redraw {
 public:
  Redraw(Draw draw, double away);
  ~Redraw();
  Redraw(const Redraw&) = delete;
  Redraw& operator=(const Redraw&) = delete;
};

}  // namespace wb
