// Generations: the fastest so far are parents; a child takes each value from one of two, and now
// and then another one. So one child can combine the good values of two configurations, which no
// walk of single steps can do.
#include <algorithm>

#include "strategies.h"

namespace tune {
namespace {

constexpr std::size_t kFirst = 16, kParents = 12, kChildren = 8;

// A child that is illegal or was tried goes on changing, until it may be tried.
bool add_child(const std::vector<const Record*>& parents, const Space& space,
               std::mt19937_64& random, Generation& next) {
  const auto select = [&]() -> const Configuration& {  // the better of two: they are sorted
    return parents[std::min(random() % parents.size(), random() % parents.size())]->configuration;
  };
  Configuration child = select();
  const Configuration& other = select();
  for (std::size_t i = 0; i < child.size(); ++i)
    if (random() % 2) child[i] = other[i];
  for (int tries = 0; tries < 50; ++tries) {
    if (next.add(child)) return true;
    const std::size_t i = random() % child.size();
    const int last = static_cast<int>(space.parameters()[i].values.size()) - 1;
    child[i] = std::clamp(child[i] + (random() % 2 ? 1 : -1), 0, last);
  }
  return false;
}

}  // namespace

void evolutionary(const Setting& setting, const History& history, Generation& next) {
  auto random = chance(setting, history.size());
  std::vector<const Record*> parents;
  for (const Record& r : history)
    if (r.status == Status::ok) parents.push_back(&r);
  std::stable_sort(parents.begin(), parents.end(),
                   [](auto a, auto b) { return a->seconds < b->seconds; });
  parents.resize(std::min(parents.size(), kParents));
  const bool first = history.size() < kFirst || parents.empty();
  while (next.size() < (first ? kFirst : kChildren))
    if ((first || !add_child(parents, *setting.space, random, next)) && !next.add_any()) break;
}

}  // namespace tune
