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

// What it takes; nothing where bind() refuses it.
std::optional<Cost> cost_of(const Problem& problem, const Case& c) {
  try {
    return problem.cost(bind(problem, c, [](const ArraySpec&) { return nullptr; }).get());
  } catch (const std::exception&) {
    return std::nullopt;
  }
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
  double flops = 0, bytes = 0;
  for (const Case& c : problem.test) {
    const Cost cost = cost_of(problem, c).value_or(Cost{});
    flops = std::max(flops, cost.flops), bytes = std::max(bytes, cost.bytes());
    for (const Axis& axis : c)
      if (!axis.word) listed[axis.name].insert(axis.number);
  }
  std::vector<Case> cases;
  for (int attempt = 0; attempt < 100 * count && static_cast<int>(cases.size()) < count;
       ++attempt) {
    Case c = problem.test[random() % problem.test.size()];
    c.drop("size");
    for (Axis axis : Case(c)) {
      const std::set<i64>& numbers = listed[axis.name];
      if (axis.word || numbers.size() < 3 || *numbers.rbegin() <= 8) continue;
      axis.number = draw_size(*numbers.rbegin(), random);
      c.set(axis);
    }
    const auto cost = cost_of(problem, c);
    if (cost && cost->flops <= flops && cost->bytes() <= bytes) cases.push_back(c);
  }
  return cases;
}

}  // namespace wb
