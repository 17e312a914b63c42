#include "measure/versions.h"

#include <algorithm>

namespace wb {

Meanwhile::Meanwhile(Answers& answers, Fresh& fresh) : answers_(answers), fresh_(fresh) {
  exchange_contents();
  exchange_elements();
  expected_ = answers_.refer_again();
}

Meanwhile::~Meanwhile() {
  for (std::size_t i = 0; i < expected_.size(); ++i)
    std::copy(expected_[i].begin(), expected_[i].end(), answers_.arrays_[i].expected[0].begin());
  exchange_elements();
  exchange_contents();
}

void Meanwhile::exchange_contents() {
  for (std::size_t i = 0; fresh_.whole && i < fresh_.contents.size(); ++i)
    std::swap_ranges(fresh_.contents[i].begin(), fresh_.contents[i].end(),
                     answers_.arrays_[i].initial[0].begin());
}

void Meanwhile::exchange_elements() {
  for (Answers::Element& e : fresh_.elements) {
    Answers::Array& a = answers_.arrays_[e.array];
    const auto size = static_cast<std::ptrdiff_t>(a.spec.element_size);
    std::swap_ranges(e.value.begin(), e.value.begin() + size,
                     a.initial[0].begin() + e.index * size);
  }
}

}  // namespace wb
