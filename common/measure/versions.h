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
using DrawNewInputs = void(const Answers& answers, bool whole, std::mt19937_64& random,
                           NewInputs& drawn);

// While it lives, version 0 has these inputs, and the answers to them.
class ExchangedInputs {
 public:
  ExchangedInputs(Answers& answers, NewInputs& drawn);
  ~ExchangedInputs();
  ExchangedInputs(const ExchangedInputs&) = delete;
  ExchangedInputs& operator=(const ExchangedInputs&) = delete;

 private:
  void exchange_contents();
  void exchange_elements();

  Answers& answers_;
  NewInputs& drawn_;
  std::vector<std::vector<std::byte>> expected_;
};

}  // namespace wb
