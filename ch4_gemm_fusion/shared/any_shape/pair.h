// The two of 64 neighbouring numbers of a row of C that a lane stores: those that share an aligned
// word. Where the row begins in the middle of a word (`late`), lane 0 has the last and the first.
#pragma once

namespace any_shape {

struct Pair {
  int first, second;
  constexpr bool is_word() const { return first < second; }
};

constexpr Pair pair_of(int lane, bool late) {
  if (!late) return {2 * lane, 2 * lane + 1};
  return {lane > 0 ? 2 * lane - 1 : 63, 2 * lane};
}

}  // namespace any_shape
