// The ten fastest are the parents, alike in their chances: a child takes its values from two of
// them, and changes by single steps until it is one that was not tried.
#include "strategies.h"

namespace {

void search(Trials& trials, std::mt19937_64& random) {
  std::vector<std::pair<double, Configuration>> tried;  // the fastest first
  while (!trials.over()) {
    Configuration child = any(trials, random);
    if (tried.size() >= 16) {
      Configuration mixed = tried[random() % 10].second;
      const Configuration& other = tried[random() % 10].second;
      for (std::size_t i = 0; i < mixed.size(); ++i)
        if (random() % 2) mixed[i] = other[i];
      for (int tries = 0; tries < 100 && !trials.may_try(mixed); ++tries) {
        const std::size_t i = random() % mixed.size();
        const int step = random() % 2 ? 1 : -1;
        mixed[i] = std::clamp(mixed[i] + step, 0, Trials::values(i) - 1);
      }
      if (trials.may_try(mixed)) child = mixed;
    }
    tried.emplace_back(trials.time(child), child);
    std::sort(tried.begin(), tried.end());
  }
}

}  // namespace

WB_CPU(Strategies, solution, each<search>);
