#include "base/draws.h"

#include "wb/problem.h"

namespace wb {

namespace {

thread_local Draw last = {};
Draw other = {};
double other_away = 0;  // changed, as `other` is, only while nothing is drawn

// SplitMix64's finalizer (Steele, Lea, Flood 2014) on a counter: element i costs the same whatever
// was drawn before it, so arrays fill in parallel and any part can be drawn again.
double draw(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return static_cast<double>(z >> 40) * 0x1p-23 - 1.0;
}

}  // namespace

double uniform(std::uint64_t seed, std::uint64_t index) {
  last = {seed, index};
  const double value = draw(seed, index);
  if (other_away == 0 || seed != other.seed || index != other.index) return value;
  return value + other_away < 1 ? value + other_away : value + other_away - 2;
}

Draw last_draw() { return last; }

Redraw::Redraw(Draw draw, double away) { other = draw, other_away = away; }
Redraw::~Redraw() { other_away = 0; }

}  // namespace wb
