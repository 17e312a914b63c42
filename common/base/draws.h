// How the harness changes one value of a problem's inputs: uniform() (wb/problem.h), from which all
// of them are drawn, gives another answer for one pair, for all arrays that are drawn from it.
#pragma once

#include <cstdint>

namespace wb {

struct Draw {
  std::uint64_t seed, index;
};

Draw last_draw();  // what this thread asked uniform() for last

// While it lives, this pair's value lies so far away, from 0 to 2, in a ring. One at a time.
class Redraw {
 public:
  Redraw(Draw draw, double away);
  ~Redraw();
  Redraw(const Redraw&) = delete;
  Redraw& operator=(const Redraw&) = delete;
};

}  // namespace wb
