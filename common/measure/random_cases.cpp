#include "measure/random_cases.h"

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>

#include "measure/answers.h"

namespace wb {
namespace {

// What a case takes. Its arrays may hold more than is read: rows far apart.
struct Demand {
  double flops = 0, bytes = 0, held = 0;

  bool within(const Demand& most) const {
    return flops <= most.flops && bytes <= most.bytes && held <= most.held;
  }
};

constexpr int kTiled = 8;  // so many of the first cases are whole tiles and ragged ones, in turn

// Nothing where bind() refuses it.
std::optional<Demand> demand_of(const Problem& problem, const Case& c) {
  Demand d;
  try {
    const auto args = bind(problem, c, [&](const ArraySpec& array) {
      d.held += static_cast<double>(array.count) * static_cast<double>(array.element_size);
      return nullptr;
    });
    const Cost cost = problem.cost(args.get());
    d.flops = cost.flops, d.bytes = cost.bytes();
  } catch (const std::exception&) {
    return std::nullopt;
  }
  return d;
}

// From 1 to `most`: what a tail, a tile's edge or a block's end may have been forgotten for.
i64 draw_size(i64 most, std::mt19937_64& random) {
  const auto up_to = [&](i64 end) {
    return static_cast<i64>(random() % static_cast<std::uint64_t>(end));
  };
  i64 size = 1 + up_to(most);
  int bits = 0;
  while (i64{2} << bits <= most) ++bits;
  switch (random() % 4) {
    case 0: break;
    case 1: size = (i64{1} << up_to(bits + 1)) + up_to(3) - 1; break;  // 2^i and its neighbours
    case 2: size = size / 32 * 32 + up_to(3) - 1; break;
    case 3: size = 1 + up_to(std::min<i64>(most, 300)); break;
  }
  return std::clamp<i64>(size, 1, most);
}

}  // namespace

std::vector<Case> random_cases(const Problem& problem, int count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::map<std::string, std::set<i64>> listed;
  Demand most;
  for (const Case& c : problem.test) {
    const Demand own = demand_of(problem, c).value_or(Demand{});
    most.flops = std::max(most.flops, own.flops), most.bytes = std::max(most.bytes, own.bytes);
    most.held = std::max(most.held, own.held);
    for (const Axis& axis : c)
      if (!axis.word) listed[axis.name].insert(axis.number);
  }
  // A kernel that takes whole tiles may forget the ragged end of one axis alone: so whether an axis
  // is a multiple of a tile (64 or 32) or not goes through all combinations of the first three axes
  // drawn, from one at random on, before chance has all of it.
  std::vector<Case> cases;
  unsigned combination = static_cast<unsigned>(random());
  for (int attempt = 0; attempt < 100 * count && static_cast<int>(cases.size()) < count;
       ++attempt) {
    Case c = problem.test[random() % problem.test.size()];
    c.drop("size");
    int drawn = 0;
    for (Axis axis : Case(c)) {
      const std::set<i64>& numbers = listed[axis.name];
      if (axis.word || numbers.size() < 3 || *numbers.rbegin() <= 8) continue;
      axis.number = draw_size(*numbers.rbegin(), random);
      const i64 tile = random() % 2 ? 64 : 32;
      const bool whole = combination >> drawn++ & 1;
      if (*numbers.rbegin() >= 2 * tile && static_cast<int>(cases.size()) < kTiled) {
        const i64 tiles = std::max<i64>(1, axis.number / tile) * tile;
        axis.number = whole ? tiles : axis.number % tile ? axis.number : axis.number - 1;
      }
      c.set(axis);
    }
    const auto own = demand_of(problem, c);
    if (!own || !own->within(most)) continue;
    cases.push_back(c);
    ++combination;
  }
  return cases;
}

}  // namespace wb
