// Inputs of a case that are not known before a launch, and the answers to them.
#pragma once

#include <random>
#include <vector>

#include "measure/answers.h"

namespace wb {

// What the inputs of version 0 become.
struct NewInputs {
  bool whole = false;  // all of them are drawn from a seed of their own,
  std::vector<std::vector<std::byte>> contents =
      {};                                       // and these are the arrays, but for `elements`
  std::vector<Answers::Element> elements = {};  // then these have these values
};

// Draws them; judged/new_inputs.h does.
using DrawNewInputs = void(const Answers&, bool whole, std::mt19937_64& random, NewInputs& drawn);

// While it lives, version 0 has these inputs, and the answers to them; `drawn` has what was there.
class SwappedInputs {
 public:
  SwappedInputs(Answers& answers, NewInputs& drawn);
  ~SwappedInputs();
  SwappedInputs(const SwappedInputs&) = delete;
  SwappedInputs& operator=(const SwappedInputs&) = delete;
  const std::vector<std::byte>& expected_before(std::size_t i) const { return expected_[i]; }

 private:
  void exchange_contents();

  Answers& answers_;
  NewInputs& drawn_;
  std::vector<std::vector<std::byte>> expected_;
};

}  // namespace wb
