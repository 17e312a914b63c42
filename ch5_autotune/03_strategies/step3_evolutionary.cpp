// Evolution. A walk that stays hot is a random search, and one that is cold a climber: all that it
// has is one place. Here a population is kept. A child takes each value from one of two parents,
// and now and then a new one; the fastest twelve so far are the parents. What is good about two
// configurations comes together in one child.
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
  // The better one of two drawn by chance: a tournament.
  const auto parent = [&] {
    return fastest[std::min(random() % fastest.size(), random() % fastest.size())].second;
  };
  while (!trials.over()) {
    Configuration child = parent();
    const Configuration other = parent();
    for (std::size_t i = 0; i < child.size(); ++i)
      if (random() % 2) child[i] = other[i];
    // A child that is illegal or was tried changes on, until it may live.
    for (int tries = 0; tries < 50 && !trials.may_try(child); ++tries) {
      const std::size_t i = random() % child.size();
      child[i] = std::clamp(child[i] + (random() % 2 ? 1 : -1), 0, Trials::values(i) - 1);
    }
    add(trials.may_try(child) ? child : any(trials, random));
  }
}

}  // namespace

WB_CPU(Strategies, step3_evolutionary, each<search>);
