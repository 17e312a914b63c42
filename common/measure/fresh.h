// Inputs that no launch has had before, for exercises: one that keeps its answers, or the inputs
// too, to compute again only what has changed, gains nothing by it and is seen to do so. Only after
// a launch, one of some that are chosen in secret, is the reference asked what was right.
#pragma once

#include <random>
#include <vector>

#include "measure/answers.h"

namespace wb {

// What the inputs of version 0 become.
struct Fresh {
  bool whole = false;  // all of them are drawn from a seed of their own,
  std::vector<std::vector<std::byte>> contents =
      {};                                       // and these are the arrays, but for `elements`
  std::vector<Answers::Element> elements = {};  // then these have these values
};

// Not `whole`: one value is drawn again, with all that a Fill makes of it; none where there is no
// input, or each depends on thousands of values.
void draw_fresh(const Answers& answers, bool whole, std::mt19937_64& random, Fresh& fresh);

// While it lives, version 0 has these inputs, and the answers to them.
class Meanwhile {
 public:
  Meanwhile(Answers& answers, Fresh& fresh);
  ~Meanwhile();
  Meanwhile(const Meanwhile&) = delete;
  Meanwhile& operator=(const Meanwhile&) = delete;

 private:
  void exchange_contents();
  void exchange_elements();

  Answers& answers_;
  Fresh& fresh_;
  std::vector<std::vector<std::byte>> expected_;
};

}  // namespace wb
