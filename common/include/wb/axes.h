// A case of a lesson: named axes in an order, each with a number or a word.
//
//   static constexpr wb::Case bench[] = {{{"rows", 8192}, {"columns", 8192}, {"dtype", "bf16"}}};
//   ... case["rows"] * case["columns"], case.word("dtype")
//
// Labels, filters, --axis NAME=VALUE, sweeps, `list`, JSON, CSV and the request to a peer follow
// from the names, so a new axis touches its lesson alone. One name means something to the harness:
// "size" is a class (small, medium, large, xlarge) that the numbers belong to, so it goes from a
// case whose numbers are changed.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

namespace wb {

using i64 = std::int64_t;

struct Axis {
  const char* name = "";
  i64 number = 0;
  const char* word = nullptr;  // null: a number

  constexpr Axis() = default;
  template <std::integral T>
  constexpr Axis(const char* name, T number) : name(name), number(number) {}
  constexpr Axis(const char* name, const char* word) : name(name), word(word) {}
  constexpr bool operator==(const Axis& other) const {
    return std::string_view(name) == other.name && number == other.number && !word == !other.word &&
           (!word || std::string_view(word) == other.word);
  }
};

class Case {
 public:
  static constexpr int kMost = 8;

  constexpr Case() = default;
  constexpr Case(std::initializer_list<Axis> axes) {
    for (const Axis& axis : axes) set(axis);
  }

  // The number of an axis that has to be there; a misspelt name throws, or does not compile.
  constexpr i64 operator[](std::string_view name) const {
    const Axis* axis = find(name);
    if (!axis || axis->word) throw std::out_of_range("no number '" + std::string(name) + "' here");
    return axis->number;
  }
  constexpr i64 get(std::string_view name, i64 otherwise) const {
    const Axis* axis = find(name);
    return axis && !axis->word ? axis->number : otherwise;
  }
  constexpr const char* word(std::string_view name, const char* otherwise = "") const {
    const Axis* axis = find(name);
    return axis && axis->word ? axis->word : otherwise;
  }
  constexpr const Axis* find(std::string_view name) const {  // null: no such axis
    for (const Axis& axis : *this)
      if (axis.name == name) return &axis;
    return nullptr;
  }

  // In its old place, or as the last; std::length_error for a ninth. Name and word must stay where
  // they are: literals do, and what keep() returns.
  constexpr void set(const Axis& axis) {
    const Axis* known = find(axis.name);
    if (!known && count_ == kMost) throw std::length_error("a case has 8 axes at most");
    axes_[known ? known - axes_ : count_++] = axis;
  }
  constexpr void drop(std::string_view name) {
    const auto named = [&](const Axis& axis) { return axis.name == name; };
    count_ = static_cast<int>(std::remove_if(axes_, axes_ + count_, named) - axes_);
  }

  constexpr const Axis* begin() const { return axes_; }
  constexpr const Axis* end() const { return axes_ + count_; }
  constexpr bool operator==(const Case& other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }

 private:
  Axis axes_[kMost];
  int count_ = 0;
};

// "xlarge,fp32,rows=8192,columns=8192": a word stands for itself, unless it begins with a digit:
// then it has its name in front, as numbers do. "empty" for a case without axes.
std::string label(const Case& c);

// A copy of a text that stays until the program ends, for axes that are read at run time.
const char* keep(std::string_view text);

}  // namespace wb
