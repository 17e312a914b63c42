// A dense array's shape, and which of its axes are reduced, as words of a command line say it:
// "64x128x64x128" and "0,2".
#pragma once

#include <charconv>
#include <string>
#include <string_view>

#include "wb/variant.h"

constexpr int kMostAxes = 8;

struct Shape {
  int rank = 0;
  wb::i64 size[kMostAxes] = {};
  bool reduced[kMostAxes] = {};

  // The product of the sizes of all axes that are reduced, or of those that are not.
  wb::i64 product(bool of_reduced) const {
    wb::i64 all = 1;
    for (int a = 0; a < rank; ++a) all *= reduced[a] == of_reduced ? size[a] : 1;
    return all;
  }
  wb::i64 results() const { return product(false); }
  wb::i64 per_result() const { return product(true); }
  wb::i64 elements() const { return results() * per_result(); }
};

// The number that `text` is as a whole. Throws Unsupported, for the row to say so.
inline wb::i64 parse_number(std::string_view text, std::string_view all, const char* form) {
  wb::i64 number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || stop != end || error != std::errc())
    throw wb::Unsupported("'" + std::string(all) + "' is not of the form " + form);
  return number;
}

// f(part) for each part of `text` between separators.
template <class F> void each_part(std::string_view text, char separator, F f) {
  for (;;) {
    const std::size_t at = text.find(separator);
    f(text.substr(0, at));
    if (at == std::string_view::npos) return;
    text.remove_prefix(at + 1);
  }
}

inline Shape parse_shape(std::string_view text) {
  constexpr wb::i64 kMost = wb::i64{1} << 40;  // elements, counted without axes of size 0
  Shape shape;
  wb::i64 room = kMost;
  each_part(text, 'x', [&](std::string_view part) {
    if (shape.rank == kMostAxes) throw wb::Unsupported("a shape has 8 axes at most");
    const wb::i64 size = parse_number(part, text, "64x128x64x128");
    if (size < 0) throw wb::Unsupported("an axis of " + std::string(text) + " is negative");
    if (size > room) throw wb::Unsupported(std::string(text) + " has more than 2^40 elements");
    room /= size > 0 ? size : 1;
    shape.size[shape.rank++] = size;
  });
  return shape;
}

// "0,2"; "-1" is the last axis; "all" and "none".
inline void parse_axes(Shape& shape, std::string_view text) {
  for (int a = 0; a < shape.rank; ++a) shape.reduced[a] = text == "all";
  if (text == "all" || text == "none") return;
  each_part(text, ',', [&](std::string_view part) {
    const wb::i64 axis = parse_number(part, text, "0,2 (or all, or none)");
    if (axis < -shape.rank || axis >= shape.rank)
      throw wb::Unsupported("no axis " + std::to_string(axis) + ": there are " +
                            std::to_string(shape.rank));
    bool& reduced = shape.reduced[axis < 0 ? axis + shape.rank : axis];
    if (reduced) throw wb::Unsupported("axis " + std::to_string(axis) + " is named twice");
    reduced = true;
  });
}

// What a gradient of the shape `to` was broadcast to: axes that `to` lacks, in front, and those in
// which it has size 1 are reduced.
inline Shape parse_broadcast(std::string_view from, std::string_view to) {
  Shape shape = parse_shape(from);
  const Shape small = parse_shape(to);
  const int lacks = shape.rank - small.rank;
  bool fits = lacks >= 0;
  for (int a = 0; a < shape.rank && fits; ++a) {
    shape.reduced[a] = a < lacks || (small.size[a - lacks] == 1 && shape.size[a] != 1);
    fits = shape.reduced[a] || small.size[a - lacks] == shape.size[a];
  }
  if (!fits) throw wb::Unsupported(std::string(to) + " does not broadcast to " + std::string(from));
  return shape;
}
