// Simulated annealing. The climber stops where two parameters must change together, such as 256
// rows that are only good with 16 warps. This walk gets away: it always accepts a faster
// configuration, and a slower one with the chance exp(-x / temperature), where x says how much
// slower it is. The temperature falls, so the walk first crosses valleys and then climbs. A step
// changes one parameter, to any of its values.
//
// Predict: what would the search be if the temperature stayed high? If it were 0 from the start?
#include "strategies.h"

namespace {

// A neighbour that was not tried, or, if all were, a configuration from anywhere.
Configuration step(const Trials& trials, const Configuration& here, std::mt19937_64& random) {
  const std::vector<Configuration> around = trials.neighbours(here, false);
  return around.empty() ? any(trials, random) : around[random() % around.size()];
}

void search(Trials& trials, std::mt19937_64& random) {
  Configuration here = any(trials, random);
  double seconds = trials.time(here);
  double temperature = 0.15;  // 15 % slower is accepted every third time
  while (!trials.over()) {
    const Configuration next = step(trials, here, random);
    const double there = trials.time(next);
    const double drawn = std::uniform_real_distribution<>()(random);
    if (!(drawn > std::pow(seconds / there, 1 / temperature))) here = next, seconds = there;
    temperature = std::max(0.005, temperature * 0.983);  // half of it after 40 trials
  }
}

}  // namespace

WB_CPU(Strategies, step2_annealing, each<search>);
