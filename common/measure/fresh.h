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
  bool whole = false;            // all of them: turned round, or where they have a Fill, version 1
  std::vector<i64> turned = {};  // of each array: it begins with this element
  int array = -1;                // then one element of this array, if of any,
  i64 to = 0, from = 0;          // has the value of another one
};

// Where there is only a Fill, one that is not whole changes nothing.
Fresh draw_fresh(const Answers& answers, bool whole, std::mt19937_64& random);

// While it lives, version 0 has these inputs, and the answers to them.
class Meanwhile {
 public:
  Meanwhile(Answers& answers, const Fresh& fresh);
  ~Meanwhile();
  Meanwhile(const Meanwhile&) = delete;
  Meanwhile& operator=(const Meanwhile&) = delete;

 private:
  void turn(bool back);
  void move();

  Answers& answers_;
  const Fresh& fresh_;
  std::vector<std::byte> moved_;  // what the one element is, or was
  std::vector<std::vector<std::byte>> expected_;
};

}  // namespace wb
