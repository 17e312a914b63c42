// Evolution. A walk only knows where it is. This search keeps a population: the fastest twelve so
// far are the parents. A child takes each value from one of two parents, and changes some if it is
// illegal or was tried. So one child can combine the good values of two configurations.
//
// Predict: what becomes of the search when all parents are alike?
#include "strategies.h"

namespace {

constexpr std::size_t kFirst = 16, kParents = 12;

void search(Trials& trials, std::mt19937_64& random) {
  std::vector<std::pair<double, Configuration>> fastest;  // sorted
  const auto add = [&](const Configuration& c) {
    fastest.emplace_back(trials.time(c), c);
    std::sort(fastest.begin(), fastest.end());
    if (fastest.size() > kParents) fastest.pop_back();
  };
  for (std::size_t i = 0; i < kFirst && !trials.over(); ++i) add(any(trials, random));
  // Of two that are drawn by chance, the faster one: a tournament.
  const auto parent = [&] {
    return fastest[std::min(random() % fastest.size(), random() % fastest.size())].second;
  };
  while (!trials.over()) {
    Configuration child = parent();
    const Configuration other = parent();
    for (std::size_t i = 0; i < child.size(); ++i)
      if (random() % 2) child[i] = other[i];
    // A child that is illegal or was tried goes on changing, until it may be tried.
    for (int tries = 0; tries < 50 && !trials.may_try(child); ++tries) {
      const std::size_t i = random() % child.size();
      child[i] = std::clamp(child[i] + (random() % 2 ? 1 : -1), 0, Trials::values(i) - 1);
    }
    add(trials.may_try(child) ? child : any(trials, random));
  }
}

}  // namespace

WB_CPU(Strategies, step3_evolutionary, each<search>);
