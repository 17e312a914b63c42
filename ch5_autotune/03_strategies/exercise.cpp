// Evolution without selection: a child changes one value of any configuration that was tried, good
// or bad, so it learns as little as random search does.
//
// TODO 1: let the fast ones be parents more often than the slow ones, and let a child take its
//         values from two of them. How few parents are too few?
// TODO 2: be faster than step 3. A child costs nothing until it is tried, and thinking is free as
//         long as it takes less than the trials (trials.h). So make several children, and try only
//         one of them. What do the trials so far say about a child that is like some of them?
// Goal: 1.2 times step3_evolutionary at searches=128
// Hints are in README.md.
#include "strategies.h"

namespace {

void search(Trials& trials, std::mt19937_64& random) {
  std::vector<std::pair<double, Configuration>> tried;  // seconds, configuration
  while (!trials.over()) {
    Configuration child = any(trials, random);
    if (tried.size() >= 16) {
      Configuration changed = tried[random() % tried.size()].second;
      const std::size_t i = random() % changed.size();
      changed[i] = static_cast<int>(random() % Trials::values(i));
      if (trials.may_try(changed)) child = changed;
    }
    tried.emplace_back(trials.time(child), child);
  }
}

}  // namespace

WB_CPU(Strategies, exercise, each<search>);
