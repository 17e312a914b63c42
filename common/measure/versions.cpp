#include "measure/versions.h"

#include <algorithm>

namespace wb {

SwappedInputs::SwappedInputs(Answers& answers, NewInputs& drawn)
    : answers_(answers), drawn_(drawn) {
  exchange_contents();
  exchange_elements();
  expected_ = answers_.refer_again();
}

SwappedInputs::~SwappedInputs() {
  for (std::size_t i = 0; i < expected_.size(); ++i)
    std::copy(expected_[i].begin(), expected_[i].end(), answers_.arrays_[i].expected[0].begin());
  exchange_elements();
  exchange_contents();
}

void SwappedInputs::exchange_contents() {
  for (std::size_t i = 0; drawn_.whole && i < drawn_.contents.size(); ++i)
    std::swap_ranges(drawn_.contents[i].begin(), drawn_.contents[i].end(),
                     answers_.arrays_[i].initial[0].begin());
}

void SwappedInputs::exchange_elements() {
  for (Answers::Element& e : drawn_.elements) {
    Answers::Array& a = answers_.arrays_[e.array];
    const auto size = static_cast<std::ptrdiff_t>(a.spec.element_size);
    std::swap_ranges(e.value.begin(), e.value.begin() + size,
                     a.initial[0].begin() + e.index * size);
  }
}

}  // namespace wb
