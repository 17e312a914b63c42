// The fastest tenth are the parents, but ten at least: a child takes its values from two of them
// and changes one, until it is one that was not tried.
#include "strategies.h"

namespace {

void search(Trials& trials, std::mt19937_64& random) {
  std::vector<std::pair<double, Configuration>> tried;  // the fastest first
  while (!trials.over()) {
    Configuration child = any(trials, random);
    if (tried.size() >= 16) {
      const std::size_t parents = std::max<std::size_t>(10, tried.size() / 10);
      for (int tries = 0; tries < 50; ++tries) {
        Configuration mixed = tried[random() % parents].second;
        const Configuration& other = tried[random() % parents].second;
        for (std::size_t i = 0; i < mixed.size(); ++i)
          if (random() % 2) mixed[i] = other[i];
        const std::size_t i = random() % mixed.size();
        if (tries % 2) mixed[i] = static_cast<int>(random() % Trials::values(i));
        if (!trials.may_try(mixed)) continue;
        child = mixed;
        break;
      }
    }
    tried.emplace_back(trials.time(child), child);
    std::sort(tried.begin(), tried.end());
  }
}

}  // namespace

WB_CPU(Strategies, solution, each<search>);
