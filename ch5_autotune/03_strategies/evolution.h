// A population: the fastest twelve so far are the parents of what is tried next.
#pragma once

#include "trials.h"

class Population {
 public:
  void add(double seconds, const Configuration& c) {
    fastest_.emplace_back(seconds, c);
    std::sort(fastest_.begin(), fastest_.end());
    if (fastest_.size() > kParents) fastest_.pop_back();
  }

  // May be tried, and takes each value from one of two parents. There must be one.
  Configuration child(const Trials& trials, std::mt19937_64& random) const {
    // Of two that are drawn by chance, the faster one: a tournament.
    const auto parent = [&]() -> const Configuration& {
      return fastest_[std::min(random() % fastest_.size(), random() % fastest_.size())].second;
    };
    Configuration child = parent();
    const Configuration& other = parent();
    for (std::size_t i = 0; i < child.size(); ++i)
      if (random() % 2) child[i] = other[i];
    // A child that is illegal or was tried goes on changing, until it may be tried.
    for (int tries = 0; tries < 50 && !trials.may_try(child); ++tries) {
      const std::size_t i = random() % child.size();
      child[i] = std::clamp(child[i] + (random() % 2 ? 1 : -1), 0, Trials::values(i) - 1);
    }
    return trials.may_try(child) ? child : any(trials, random);
  }

 private:
  static constexpr std::size_t kParents = 12;
  std::vector<std::pair<double, Configuration>> fastest_;  // sorted
};
