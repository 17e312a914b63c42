#include "measure/versions.h"

#include <algorithm>

namespace wb {

SwappedInputs::SwappedInputs(Answers& answers, NewInputs& drawn)
    : answers_(answers), drawn_(drawn) {
  exchange_contents();
  answers_.exchange(drawn_.elements, &Answers::Array::initial);
  for (Answers::Array& a : answers_.arrays_) {
    expected_.push_back(a.expected[0]);
    if (a.spec.role == Role::inout) a.expected[0] = a.initial[0];  // of the same size: in place
    if (a.spec.role == Role::out) std::ranges::fill(a.expected[0], std::byte{0xFF});
  }
  answers_.refer(0);
}

SwappedInputs::~SwappedInputs() {
  for (std::size_t i = 0; i < expected_.size(); ++i)
    std::copy(expected_[i].begin(), expected_[i].end(), answers_.arrays_[i].expected[0].begin());
  answers_.exchange(drawn_.elements, &Answers::Array::initial);
  exchange_contents();
}

void SwappedInputs::exchange_contents() {
  for (std::size_t i = 0; drawn_.whole && i < drawn_.contents.size(); ++i)
    std::swap_ranges(drawn_.contents[i].begin(), drawn_.contents[i].end(),
                     answers_.arrays_[i].initial[0].begin());
}

}  // namespace wb
