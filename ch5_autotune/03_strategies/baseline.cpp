// Random search tries configurations in a random order, until one is good enough.
//
// Predict: k of the n configurations are good enough. How many trials do half of all searches need?
#include "strategies.h"

namespace {

void search(Trials& trials, std::mt19937_64& random) {
  std::vector<Configuration> order = Trials::all();
  std::shuffle(order.begin(), order.end(), random);
  for (const Configuration& c : order) {
    if (trials.over()) return;
    trials.time(c);
  }
}

}  // namespace

WB_CPU(Strategies, baseline, each<search>);
