#include "measure/fresh.h"

#include <algorithm>

namespace wb {
namespace {

// Of independent values: any order of them is as good.
bool is_loose(const Answers::Array& a) {
  return a.spec.role != Role::out && a.spec.count > 0 && !a.spec.fill;
}

}  // namespace

Fresh draw_fresh(const Answers& answers, bool whole, std::mt19937_64& random) {
  const std::vector<Answers::Array>& arrays = answers.arrays();
  const auto below = [&](auto end) {
    return static_cast<i64>(random() % static_cast<std::uint64_t>(end));
  };
  Fresh fresh{.whole = whole, .turned = std::vector<i64>(arrays.size())};
  std::vector<int> loose;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (!is_loose(arrays[i])) continue;
    loose.push_back(static_cast<int>(i));
    if (whole) fresh.turned[i] = below(arrays[i].spec.count);
  }
  if (loose.empty()) return fresh;
  fresh.array = loose[below(loose.size())];
  fresh.to = below(arrays[fresh.array].spec.count);
  fresh.from = below(arrays[fresh.array].spec.count);
  return fresh;
}

Meanwhile::Meanwhile(Answers& answers, const Fresh& fresh) : answers_(answers), fresh_(fresh) {
  turn(false);
  if (fresh.array >= 0) {
    const Answers::Array& a = answers_.arrays_[fresh.array];
    const auto from = a.initial[0].begin() + fresh.from * static_cast<i64>(a.spec.element_size);
    moved_.assign(from, from + static_cast<i64>(a.spec.element_size));
  }
  move();
  expected_ = answers_.refer_again();
}

Meanwhile::~Meanwhile() {
  for (std::size_t i = 0; i < expected_.size(); ++i)
    std::copy(expected_[i].begin(), expected_[i].end(), answers_.arrays_[i].expected[0].begin());
  move();
  turn(true);
}

void Meanwhile::move() {
  if (fresh_.array < 0) return;
  Answers::Array& a = answers_.arrays_[fresh_.array];
  std::swap_ranges(moved_.begin(), moved_.end(),
                   a.initial[0].begin() + fresh_.to * static_cast<i64>(a.spec.element_size));
}

void Meanwhile::turn(bool back) {
  for (std::size_t i = 0; fresh_.whole && i < fresh_.turned.size(); ++i) {
    Answers::Array& a = answers_.arrays_[i];
    const auto begin = a.initial[0].begin(), end = begin + static_cast<i64>(a.bytes);
    const i64 first = fresh_.turned[i] * static_cast<i64>(a.spec.element_size);
    if (is_loose(a))
      std::rotate(begin, back ? end - first : begin + first, end);
    else if (a.spec.role != Role::out)
      std::swap_ranges(begin, end, a.initial[1].begin());
  }
}

}  // namespace wb
